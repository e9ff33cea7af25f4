# shellcheck shell=sh disable=SC2154
# Shared by the programs that run hooks of bundles: scripts beside bootstrap.sh, in the folder of a stage.

# hook_run KIND N TIMEOUT: runs the script KIND.sh of stage N as its bootstrap.sh is run, for at most TIMEOUT
# seconds (0: no limit). Sets $code to its exit code and $output to a file with the beginning of its output.
# The script does not inherit the locks of this program, because processes that it leaves would keep them.
hook_run() {
    output=$marks/hook.output code=
    clear "$output" "$marks/hook.code"
    home_read root
    # shellcheck disable=SC2016
    {
        umask 022
        env -i HOME="${home:-/root}" USER=root LOGNAME=root SHELL=/bin/bash PATH="$PATH" REEVE_STAGE="$2" \
            REEVE_HOOK="$1" timeout -k 10 "$3" bash -l -c 'cd "$0" && exec bash "$1"' "$folder/stage-$2" "$1.sh" \
            </dev/null 2>&1 7>&- 8>&- 9>&-
        ended=$?
        umask 077
        echo "$ended" >"$marks/hook.code"
    } | {
        head -c 65536 >"$output"
        cat >/dev/null
    }
    # shellcheck disable=SC2034
    { read -r code <"$marks/hook.code"; } 2>/dev/null || code=-1
}

# has_hook KIND N: true if the bundle of stage N has this hook.
has_hook() { [ -f "$folder/stage-$2/$1.sh" ]; }
