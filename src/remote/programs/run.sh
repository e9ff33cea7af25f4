# shellcheck shell=sh disable=SC2154
# run N DIGEST CHAIN ATTEMPT TIMEOUT ARG...: runs a stage and writes down how it ended, by itself: no connection holds it.
# Descriptor 9 is the lock, which the stage does not get: what it leaves running would hold it.
n=$1 digest=$2 chain=$3 attempt=$4 timeout=$5
shift 5
stage=$folder/stage-$n
output=$stage/output
if [ -e "$output" ] || [ -L "$output" ]; then # that of the attempt before stays where it is until there is another attempt
    { [ -f "$marks/$n.attempt" ] && read -r before _ <"$marks/$n.attempt"; } 2>/dev/null || before=0
    [ ! -d "$output.$before" ] || rm -rf "$output.$before" # or it would go into that
    mv -f "$output" "$output.$before"
    output=$stage/output-new
    clear "$output"
fi
(: >"$output") || exit 1
mv -f "$marks/$n.next" "$marks/$n.attempt" || exit 1 # from here on it has begun
[ "$output" = "$stage/output" ] || mv -f "$output" "$stage/output"
echo $$ >"$marks/$n.pid"
trap '' PIPE # who started it waits for this, or is gone
echo $$ >&3
trap - PIPE
exec 3>&-
sync "$marks/" "$folder/"
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
        { [ -f "$marks/$n.attempt" ] && read -r newest _ <"$marks/$n.attempt"; } 2>/dev/null
        [ "$newest" = "$attempt" ] || exec cat # another one is in its place
        set -- "$stage/output.$attempt.at-"*
        while [ $# -gt 2 ]; do
            rm -f "$1"
            shift
        done
        at=$((at + size)) # also where no other file can be made, and it goes on in this one
        next=$stage/output.$attempt.at-$(printf %015d "$at")
        clear "$next"
        (: >>"$next") && piece=$next
    done
}

# False: all who could write have ended. One read is one write, so that it is seen as it comes. Where the disk has no room, that much
# is lost.
piece_keep() {
    size=0
    while [ "$size" -lt 2097152 ]; do
        is_written=no
        ! said=$(exec dd bs=65536 count=32 2>&1 >&7) || is_written=yes # no shell in between: kept_wait looks for it
        case $said in
        *records\ in*) reads=${said%% records in*} ;;
        *) sleep 1 && continue ;;
        esac
        reads=${reads##*[!0-9+]} bytes=${said#*records out}
        bytes=${bytes%% byte*}
        bytes=${bytes##*[!0-9]}
        size=$((size + ${bytes:-0}))
        # who has read less often than it may, and written it all, has read the end
        [ "$reads" != 0+0 ] || return 1
        [ "$is_written" = no ] || [ $((${reads%+*} + ${reads#*+})) -eq 32 ] || return 1
    done
}

# Until all that the stage has written is kept: `keep` has ended; or nothing is left to be read, and what reads waits for more, for
# the stage has left somebody running who could write.
kept_wait() {
    waits=0
    [ ! -e "/proc/$reader/fd/0" ] || sleep 0.01 # most have read the end by then
    while [ -e "/proc/$reader/fd/0" ] && [ "$waits" -lt 200 ]; do
        if ! bash -c 'read -t 0' 0<>"/proc/$reader/fd/0"; then
            child='' name='' doing=''
            read -r child _ <"/proc/$reader/task/$reader/children"
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
# The lock goes before it waits for a writer: where none comes, this is all that is left.
{ keep; } 9>&- <"$marks/$n.pipe" >/dev/null 2>&1 &
reader=$!
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
rm -rf "$marks/$n.reserve" "$marks/$n.pipe" "$marks/$n.end" # the last may be a link, a pipe or another file's second name by now
umask 077
kept_wait

# The marks, one behind the other; a piece of one counts for nothing. What the stage has left in their places is not written through.
marks_write() {
    if [ "$code" -eq 0 ]; then
        complete=$stage/stage-complete
        if [ -e "$complete" ] || [ -L "$complete" ]; then
            rm -rf "$complete"
        fi
        (umask 022 && echo "reeve1 $chain $digest $attempt" >"$complete") || return 1
    fi
    echo "$attempt $code $how" >"$marks/$n.end"
}

i=0
while ! marks_write 2>/dev/null && [ "$i" -lt 5 ]; do
    i=$((i + 1))
    sleep 1
done
sync "$stage/output" "$stage/output.$attempt.at-"* "$stage/stage-complete" "$marks/$n.end" "$stage/" "$marks/"
