# shellcheck shell=sh disable=SC2154
# run N DIGEST CHAIN ATTEMPT TIMEOUT ARG...: runs a stage and writes down how it ended, by itself: no connection holds it.
# Descriptor 9 is the lock, which the stage does not get: what it leaves running would hold it.
n=$1 digest=$2 chain=$3 attempt=$4 timeout=$5
shift 5
stage=$folder/stage-$n
echo $$ >"$marks/$n.pid"
entry=$(getent passwd root || grep '^root:' /etc/passwd)
home=$(echo "$entry" | cut -d: -f6)
tie=
command -v setpriv >/dev/null && tie='setpriv --pdeathsig KILL' # no stage without who marks its end

# Seconds that no clock that is set moves.
uptime() { cut -d. -f1 /proc/uptime; }

began=$(uptime)
umask 022 # as in any login shell: what a bundle installs is for all users; our own files have their modes named
# shellcheck disable=SC2086,SC2016
env -i HOME="${home:-/root}" USER=root LOGNAME=root SHELL=/bin/bash PATH="$PATH" REEVE_STAGE="$n" \
    REEVE_ATTEMPT="$attempt" $tie timeout -k 10 "$timeout" $tie \
    bash -l -c 'cd "$0" && exec bash bootstrap.sh "$@"' "$stage" "$@" \
    </dev/null >>"$stage/output" 2>&1 9>&-
code=$? how=exit
if [ "$timeout" -gt 0 ] && [ $(($(uptime) - began)) -ge "$timeout" ] && [ "$code" -ge 124 ]; then
    how=timeout
fi
rm -f "$marks/$n.reserve"
sync "$stage/output"
i=0
while [ "$i" -lt 5 ]; do
    if { [ "$code" -ne 0 ] || echo "reeve1 $chain $digest $attempt" | put "$stage/stage-complete" 644; } &&
        echo "$attempt $code $how" | put "$marks/$n.end" 600; then
        break
    fi
    i=$((i + 1))
    sleep 1
done
