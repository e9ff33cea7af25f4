# shellcheck shell=sh disable=SC2154
# run N DIGEST CHAIN ATTEMPT TIMEOUT ARG...: runs a stage and writes down how it ended, by itself: no connection holds it.
# Descriptor 9 is the lock, which the stage does not get: what it leaves running would hold it.
n=$1 digest=$2 chain=$3 attempt=$4 timeout=$5
shift 5
stage=$folder/stage-$n
{ read -r before _ <"$marks/$n.attempt"; } 2>/dev/null || before=0
[ ! -e "$stage/output" ] || mv -f "$stage/output" "$stage/output.$before"
(: >"$stage/output-new") || exit 1
mv -f "$marks/$n.next" "$marks/$n.attempt" || exit 1 # from here on it has begun
mv -f "$stage/output-new" "$stage/output"
echo $$ >"$marks/$n.pid"
sync "$marks/"
home=
while IFS=: read -r user _ _ _ _ home _ && [ "$user" != root ]; do :; done </etc/passwd
tie=
command -v setpriv >/dev/null && tie='setpriv --pdeathsig KILL' # no stage without who marks its end

# keep: what the stage writes, from standard input: its beginning in `output`, the rest in pieces named by the byte at which
# they begin, of which the three newest stay. It goes on for as long as anybody can write: who does when the stage is over
# is kept as well, and never hears that nobody reads any more.
keep() {
    piece=$stage/output at=0
    while piece_keep 7>>"$piece"; do
        newest=
        { read -r newest _ <"$marks/$n.attempt"; } 2>/dev/null
        [ "$newest" = "$attempt" ] || exec cat # another one is in its place
        set -- "$stage/output.$attempt.at-"*
        while [ $# -gt 2 ]; do
            rm -f "$1"
            shift
        done
        next=$stage/output.$attempt.at-$(printf %015d $((at + size)))
        (: >>"$next") && piece=$next at=$((at + size))
    done
}

# False: all who could write have ended. One read is one write, so that it is seen as it comes.
piece_keep() {
    size=0
    while [ "$size" -lt 2097152 ]; do
        case $(dd bs=65536 count=32 2>&1 >&7) in
        0+0\ records\ in*) return 1 ;;
        *records\ in*) ;; # also where the disk has no room: that much is lost
        *) sleep 1 ;;
        esac
        size=$(stat -L -c %s /proc/self/fd/7)
    done
}

# Until all that the stage has written is kept: `keep` has ended; or nothing is left to be read, and what reads waits for more, for
# the stage has left somebody running who could write.
kept_wait() {
    waits=0
    [ ! -e "/proc/$keeper/fd/0" ] || sleep 0.01 # most have read the end by then
    while [ -e "/proc/$keeper/fd/0" ] && [ "$waits" -lt 200 ]; do
        if ! bash -c 'read -t 0' 0<>"/proc/$keeper/fd/0"; then
            child='' name='' doing=''
            read -r child _ <"/proc/$keeper/task/$keeper/children"
            read -r _ name doing _ <"/proc/${child:-0}/stat"
            [ "$name$doing" != '(dd)S' ] || return
        fi
        sleep 0.05
        waits=$((waits + 1))
    done 2>/dev/null
}

# Seconds that no clock that is set moves.
uptime() {
    read -r now _ </proc/uptime
    now=${now%%.*}
}

uptime
began=$now
{
    exec 9>&-
    keep
} <"$marks/$n.pipe" >/dev/null 2>&1 &
keeper=$!
umask 022 # as in any login shell: what a bundle installs is for all users; our own files have their modes named
# shellcheck disable=SC2086,SC2016
env -i HOME="${home:-/root}" USER=root LOGNAME=root SHELL=/bin/bash PATH="$PATH" REEVE_STAGE="$n" \
    REEVE_ATTEMPT="$attempt" $tie timeout -k 10 "$timeout" $tie \
    bash -l -c 'cd "$0" && exec bash bootstrap.sh "$@"' "$stage" "$@" \
    </dev/null >"$marks/$n.pipe" 2>&1 9>&-
code=$? how=exit
uptime
if [ "$timeout" -gt 0 ] && [ $((now - began)) -ge "$timeout" ] && [ "$code" -ge 124 ]; then
    how=timeout
fi
rm -f "$marks/$n.reserve" "$marks/$n.pipe"
umask 077
kept_wait
sync "$stage/output" "$stage/output.$attempt.at-"*
i=0
while [ "$i" -lt 5 ]; do
    if { [ "$code" -ne 0 ] || put "$stage/stage-complete" 644 "reeve1 $chain $digest $attempt"; } &&
        put "$marks/$n.end" 600 "$attempt $code $how"; then
        break
    fi
    i=$((i + 1))
    sleep 1
done
