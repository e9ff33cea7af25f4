# shellcheck shell=sh disable=SC2154
# drain HOOK SECONDS: runs the hook of each stage that takes the services of this node out of
# service (HOOK is drain: the last stage first) or back into service (undrain: the first stage
# first). All hooks together take at most SECONDS. If a hook fails, the program ends, because the
# next hook relies on it. Answer: `ran COUNT`, and `failed TEXT` for the hook that failed. If the
# answer is lost, the program runs again, with all hooks.
hook=$1 seconds=$2 count=0 order='0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31'

# Sets $now to the uptime in seconds.
uptime_read() {
    read -r now _ </proc/uptime
    now=${now%%.*}
}

# Prints the first line of the output that reports an error; without such a line, the last line.
blocker() {
    grep -iaEm 1 'error|fatal|failed|failure|cannot|not found|denied|no such|refused|unrecognized|traceback|unbound' "$output" ||
        tail -n 1 "$output"
}

begin
[ -d "$marks" ] || {
    say 'ran 0'
    end
}
alone cleanup "hooks of stages: $hook"
if [ "$hook" = drain ]; then
    order='31 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0'
fi
uptime_read
ends=$((now + seconds))
for n in $order; do
    has_hook "$hook" "$n" || continue
    uptime_read
    if [ "$now" -ge "$ends" ]; then
        say "failed stage-$n: there was no time left for its $hook.sh"
        break
    fi
    hook_run "$hook" "$n" $((ends - now))
    case $code in
    0) count=$((count + 1)) ;;
    124 | 137)
        say "failed stage-$n: $hook.sh took longer than $((ends - now)) s"
        break
        ;;
    *)
        line=$(blocker)
        say "failed stage-$n: $hook.sh ended with exit code $code${line:+: $line}"
        break
        ;;
    esac
done
say "ran $count"
end
