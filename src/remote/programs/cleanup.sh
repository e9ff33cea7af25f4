# shellcheck shell=sh disable=SC2154
# cleanup SECONDS: runs the hook `cleanup` of each stage, the last stage first, because the machine
# leaves its group and continues to exist. All hooks together take at most SECONDS. A hook that
# succeeded does not run again. If a hook fails, the others run nevertheless. Answer: `cleaned
# COUNT`, and `failed TEXT` for each hook that failed.
seconds=$1 count=0

# Sets $now to the uptime in seconds.
uptime_read() {
    read -r now _ </proc/uptime
    now=${now%%.*}
}

begin
[ -d "$marks" ] || {
    say 'cleaned 0'
    end
}
alone cleanup 'hooks of stages that clean up'
uptime_read
ends=$((now + seconds))
for n in 31 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0; do
    if ! has_hook cleanup "$n" || grep -qxF "$n" "$marks/cleaned" 2>/dev/null; then
        continue
    fi
    uptime_read
    if [ "$now" -ge "$ends" ]; then
        say "failed stage-$n: there was no time left for its cleanup.sh"
        continue
    fi
    hook_run cleanup "$n" $((ends - now))
    case $code in
    0)
        count=$((count + 1))
        echo "$n" >>"$marks/cleaned"
        ;;
    124 | 137) say "failed stage-$n: cleanup.sh took longer than $((ends - now)) s" ;;
    *)
        last=$(tail -n 1 "$output")
        say "failed stage-$n: cleanup.sh ended with exit code $code${last:+: $last}"
        ;;
    esac
done
say "cleaned $count"
end
