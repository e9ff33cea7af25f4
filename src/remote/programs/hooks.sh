# shellcheck shell=sh disable=SC2154
# Shared by the programs that run hooks of bundles: scripts beside bootstrap.sh, in the folder of a stage.

# hook_run KIND N TIMEOUT: runs the script KIND.sh of stage N in the same way as its bootstrap.sh,
# for at most TIMEOUT seconds (0: no limit). Sets $code to its exit code and $output to a file with
# the beginning of its output. The script does not inherit the locks of this program, because
# processes that it leaves running would keep them. Such a process may also keep the pipe open. So
# the output is read in the background, and after the end of the script this program waits at most
# one second for the end of the output.
hook_run() {
    output=$marks/hook.output code=-1 waits=0
    clear "$output" "$marks/hook.pipe" "$marks/hook.read"
    (mkfifo -m 600 "$marks/hook.pipe" && : >"$output") 2>/dev/null || return 0
    home_read root
    # The function call itself is not redirected, because the shell would then save the descriptors,
    # and so keep the locks.
    { hook_keep; } 7>&- 8>&- 9>&- <"$marks/hook.pipe" >/dev/null 2>&1 &
    umask 022
    # shellcheck disable=SC2016
    env -i HOME="${home:-/root}" USER=root LOGNAME=root SHELL=/bin/bash PATH="$PATH" REEVE_STAGE="$2" \
        REEVE_HOOK="$1" timeout -k 10 "$3" bash -l -c 'cd "$0" && exec bash "$1"' "$folder/stage-$2" "$1.sh" \
        </dev/null >"$marks/hook.pipe" 2>&1 7>&- 8>&- 9>&-
    # shellcheck disable=SC2034
    code=$?
    umask 077
    while [ ! -e "$marks/hook.read" ] && [ "$waits" -lt 20 ]; do
        sleep 0.05
        waits=$((waits + 1))
    done
    clear "$marks/hook.pipe" "$marks/hook.read"
}

# Stores the first 64 KiB of standard input while they arrive, and drops the rest. The first reader
# ends at 64 KiB, because it has a limit for the size of files.
hook_keep() {
    (
        trap '' XFSZ
        ulimit -f 128
        exec cat >"$output"
    )
    : >"$marks/hook.read"
    exec cat
}

# has_hook KIND N: true if the bundle of stage N has this hook.
has_hook() { [ -f "$folder/stage-$2/$1.sh" ]; }
