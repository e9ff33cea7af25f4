# shellcheck shell=sh disable=SC2154
# Shared by the programs that run hooks of bundles: scripts beside bootstrap.sh, in the folder of a stage.

# hook_run KIND N TIMEOUT: runs the script KIND.sh of stage N as its bootstrap.sh is run, for at most TIMEOUT
# seconds (0: no limit). Sets $code to its exit code and $output to a file with the beginning of its output.
# The script does not inherit the locks of this program, because processes that it leaves would keep them. Such a
# process may also keep the pipe open. So the output is read in the background, and its end is awaited for a second.
hook_run() {
    output=$marks/hook.output code=-1 waits=0
    clear "$output" "$marks/hook.pipe" "$marks/hook.read"
    (mkfifo -m 600 "$marks/hook.pipe" && : >"$output") 2>/dev/null || return 0
    home_read root
    # Not the function itself is redirected: the shell would save the descriptors for later, and so keep the locks.
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

# Keeps the first 64 KiB of standard input, as they come, and drops the rest. The limit of the size of files ends
# the first reader there.
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
