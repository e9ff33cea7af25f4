# shellcheck shell=sh disable=SC2154
# run N DIGEST CHAIN ATTEMPT TIMEOUT ARG...: runs a stage and records how it ended. It does not
# depend on a connection. Descriptor 9 is the lock. The stage does not inherit it, because processes
# that the stage leaves running would keep the lock.
n=$1 digest=$2 chain=$3 attempt=$4 timeout=$5
shift 5
stage=$folder/stage-$n
output=$stage/output
if [ -e "$output" ] || [ -L "$output" ]; then # keep that of the previous attempt until the next one begins
    { [ -f "$marks/$n.attempt" ] && read -r before _ <"$marks/$n.attempt"; } 2>/dev/null || before=0
    [ ! -d "$output.$before" ] || rm -rf "$output.$before" # or mv would move into it
    mv -f "$output" "$output.$before"
    output=$stage/output-new
    clear "$output"
fi
(: >"$output") || exit 1
mv -f "$marks/$n.next" "$marks/$n.attempt" || exit 1 # from here on it has begun
[ "$output" = "$stage/output" ] || mv -f "$output" "$stage/output"
echo $$ >"$marks/$n.pid"
trap '' PIPE # the starter waits for this, or is gone
echo $$ >&3
trap - PIPE
exec 3>&-
sync "$marks/" "$folder/"
home=
while IFS=: read -r user _ _ _ _ home _ && [ "$user" != root ]; do :; done </etc/passwd
tie=
command -v setpriv >/dev/null && tie='setpriv --pdeathsig KILL' # no stage without this process

# keep: reads the output of the stage from standard input, and stores it. The beginning goes into
# the file `output`. The rest goes into pieces, which are named by the position of their first byte;
# the three newest are kept. It continues as long as any process can write. So output after the end
# of the stage is stored too, and its writers never get a broken pipe.
keep() {
    piece=$stage/output at=0
    while piece_keep 7>>"$piece"; do
        newest=
        { [ -f "$marks/$n.attempt" ] && read -r newest _ <"$marks/$n.attempt"; } 2>/dev/null
        [ "$newest" = "$attempt" ] || exec cat # a newer attempt has replaced it
        set -- "$stage/output.$attempt.at-"*
        while [ $# -gt 2 ]; do
            rm -f "$1"
            shift
        done
        at=$((at + size)) # also if no new file can be created and this one goes on
        next=$stage/output.$attempt.at-$(printf %015d "$at")
        clear "$next"
        (: >>"$next") && piece=$next
    done
}

# Stores one piece. Returns false when all writers have ended. Each read is followed by one write,
# so that output is visible immediately. If the disk is full, output that does not fit is lost.
piece_keep() {
    size=0
    while [ "$size" -lt 2097152 ]; do
        is_written=no
        ! said=$(exec dd bs=65536 count=32 2>&1 >&7) || is_written=yes # no shell between: kept_wait looks for dd
        case $said in
        *records\ in*) reads=${said%% records in*} ;;
        *) sleep 1 && continue ;;
        esac
        reads=${reads##*[!0-9+]} bytes=${said#*records out}
        bytes=${bytes%% byte*}
        bytes=${bytes##*[!0-9]}
        size=$((size + ${bytes:-0}))
        # fewer reads than permitted, and all of them were written: the end of the output
        [ "$reads" != 0+0 ] || return 1
        [ "$is_written" = no ] || [ $((${reads%+*} + ${reads#*+})) -eq 32 ] || return 1
    done
}

# Waits until all output of the stage is stored. This is the case when `keep` has ended. It is also
# the case when the pipe is empty and `keep` waits, because the stage has left a process running
# that could write.
kept_wait() {
    waits=0
    [ ! -e "/proc/$reader/fd/0" ] || sleep 0.01 # usually it has read the end by then
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

# Sets $now to the uptime in seconds, which does not change when a clock is set.
uptime() {
    read -r now _ </proc/uptime
    now=${now%%.*}
}

script=bootstrap.sh
[ ! -e "$stage/.reeve-upgrade" ] || script=upgrade.sh
uptime
began=$now
# The lock is released first, because opening the pipe blocks until there is a writer. If there is
# never a writer, only this process remains, without the lock.
{ keep; } 9>&- <"$marks/$n.pipe" >/dev/null 2>&1 &
reader=$!
umask 022 # as in a login shell: bundles install for all users; our own files get explicit modes
# shellcheck disable=SC2086,SC2016
env -i HOME="${home:-/root}" USER=root LOGNAME=root SHELL=/bin/bash PATH="$PATH" REEVE_STAGE="$n" \
    REEVE_ATTEMPT="$attempt" $tie timeout -k 10 "$timeout" $tie \
    bash -l -c 'cd "$0" && exec bash "$@"' "$stage" "$script" "$@" \
    </dev/null >"$marks/$n.pipe" 2>&1 9>&-
code=$? how=exit
uptime
if [ "$timeout" -gt 0 ] && [ $((now - began)) -ge "$timeout" ] && [ "$code" -ge 124 ]; then
    how=timeout
fi
rm -rf "$marks/$n.reserve" "$marks/$n.pipe" "$marks/$n.end" # the last may be a link or a pipe by now
umask 077
kept_wait

# Writes the marks, one after the other; an incomplete mark has no effect. If the stage has left
# files at the paths of marks, these files are removed, so that nothing is written through a link.
marks_write() {
    if [ "$code" -eq 0 ]; then
        complete=$stage/stage-complete
        if [ -e "$complete" ] || [ -L "$complete" ]; then
            rm -rf "$complete"
        fi
        rm -f "$stage/.reeve-upgrade"
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
