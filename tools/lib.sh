# Shell functions shared by quickstart.sh, test.sh and tools/*. Sourced, never run.
# shellcheck shell=bash

# Say on stderr why we cannot go on, and end.
die() {
    printf '%s\n' "$*" >&2
    exit 1
}

# Seconds as mm:ss.
clock() {
    printf '%02d:%02d' "$(($1 / 60))" "$(($1 % 60))"
}

# One line of progress: rewritten on a terminal, silent elsewhere. step_done prints what stays.
step_now() {
    if [ -t 1 ]; then
        printf '\r%-10s %s\033[K' "$1" "$2"
    fi
}

# step_done NAME TEXT SECONDS
step_done() {
    if [ -t 1 ]; then
        printf '\r\033[K'
    fi
    printf '%-10s %-20s %s\n' "$1" "$2" "$(clock "$3")"
}

# Where we run through sudo in a tree that belongs to the invoking user, go on as that user, so
# that nothing under build/ ends up owned by root. Call it after the packages are installed:
# it replaces the process by "SCRIPT ARGS" run as the user.
drop_root() {
    local uid=${SUDO_UID:-0} gid=${SUDO_GID:-0} home

    if [ "$(id -u)" -ne 0 ] || [ "$uid" -eq 0 ] || [ "$(stat -c %u .)" -ne "$uid" ]; then
        return 0
    fi
    if [ -d build ]; then
        chown -R "$uid:$gid" build
    fi
    home=$(getent passwd "$uid" | cut -d: -f6)
    exec env -u SUDO_UID -u SUDO_GID HOME="${home:-/}" \
        setpriv --reuid "$uid" --regid "$gid" --init-groups -- "$@"
}

# An earlier run as root may have left a build/ that we cannot write to.
need_writable_build() {
    local path
    for path in . build build/build.log build/meson-logs; do
        if [ -e "$path" ] && [ ! -w "$path" ]; then
            die "cannot write to $(realpath "$path"); run: sudo chown -R $(id -un) $PWD"
        fi
    done
}

# The number of jobs that suits this machine.
jobs_count() {
    echo "${JOBS:-$(nproc)}"
}
