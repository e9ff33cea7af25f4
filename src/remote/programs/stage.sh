# shellcheck shell=sh disable=SC2154
# stage RUN N DIGEST CHAIN WANTED BEGIN TIMEOUT IDEMPOTENT OFFSET SECONDS SIZE HAVE ROOM VARS NAME
# ARG...: RUN is the text of run.sh, and $common the text of common.sh. If VARS is not 0, the first
# VARS bytes of input are the variables, which the stage finds in vars.json. If SIZE is not 0, a
# piece of the bundle is received first (send.sh), and the stage begins only when the bundle is
# complete. If BEGIN is 1, attempt WANTED of the stage begins, unless it has already begun. Then the
# output from OFFSET on is copied to standard output, for up to SECONDS while the stage runs. It is
# preceded by a line that no login shell prints. The answer is written to standard error.
run=$1 n=$2 digest=$3 chain=$4 wanted=$5 begin=$6 timeout=$7 idempotent=$8 offset=$9
shift 9
seconds=$1 size=$2 from=$3 room=$4 vars=$5 name=$6
shift 6

# Replaces the stage's folder by a new tree for this chain. The sync of the tree also makes
# everything durable that was written before.
expand() {
    new=$folder/stage-$n.new was='' former=''
    { [ -f "$stage/.reeve" ] && { read -r was && read -r former; } <"$stage/.reeve"; } 2>/dev/null
    [ "$was" != "$chain" ] || return 0
    [ "$checked" = no ] || [ -e "$whole" ] || whole=$part
    [ -e "$whole" ] || fail bundle 'the bundle is missing'
    [ ! -e "$new" ] || try node rm -rf "$new"
    try node mkdir -m 700 "$new"
    why=$(umask 022 && tar -xf "$whole" -C "$new" --no-same-owner --no-same-permissions \
        2>&1 >/dev/null) || {
        rm -rf "$new"
        fail expand "$why"
    }
    if [ -n "$vars_text" ]; then
        clear "$new/vars.json"
        if ! (umask 077 && printf '%s\n' "$vars_text" >"$new/vars.json") 2>/dev/null; then
            rm -rf "$new"
            fail space 'No space left on device'
        fi
    fi
    clear "$new/.reeve" "$new/.reeve-upgrade"
    # If an older revision of this bundle was complete here, upgrade.sh runs instead of
    # bootstrap.sh.
    if [ -f "$new/upgrade.sh" ] && [ "$former" = "$name" ] && { [ -s "$stage/stage-complete" ] || [ -e "$stage/.reeve-upgrade" ]; }; then
        : >"$new/.reeve-upgrade"
    fi
    if ! printf '%s\n%s\n' "$chain" "$name" >"$new/.reeve" 2>/dev/null; then
        rm -rf "$new"
        fail space 'No space left on device'
    fi
    whole=$bundles/$digest
    try node sync -f "$new"
    is_synced=yes
    keep_whole :
    [ ! -e "$stage" ] || try node rm -rf "$stage" "$marks/$n.pid" "$marks/$n.pipe"
    try node mv "$new" "$stage"
}

# Receives the variables. The bundle follows them in the input; the next program reads it. If the
# connection ends within the variables, the stage is not started.
vars_receive() {
    vars_text=$(head -c "$vars")
    [ "${#vars_text}" -eq "$vars" ] || fail digest 'the variables are incomplete'
}

start() {
    stage_read "$n"
    [ "$attempt" -lt "$wanted" ] || return 0
    [ "$done_chain" != "$chain" ] || return 0
    if [ "$attempt_chain" != "$chain" ]; then
        tries=0
    elif [ "$idempotent" = 0 ]; then
        return 0 # it has begun once: the manager gets its result
    fi
    clear "$marks/$n.next" "$marks/$n.reserve"
    # run.sh renames this file to the mark, so that no mark exists for an attempt that was never
    # run.
    echo "$wanted $chain $((tries + 1)) $digest" 2>/dev/null >"$marks/$n.next" || fail space 'No space left on device'
    is_synced=no
    expand
    [ "$is_synced" = yes ] || sync "$marks/$n.next" || fail space 'No space left on device'
    # Reserves disk space for the marks, which must be written even if the stage has filled the
    # disk.
    printf '%65536s' '' 2>/dev/null >"$marks/$n.reserve" || {
        rm -f "$marks/$n.reserve"
        fail space 'No space left on device'
    }
    # The beginning of the previous attempt's output is kept for operators. The output of earlier
    # attempts is removed.
    if [ -e "$stage/output" ] || [ -e "$marks/$n.pid" ] || [ -e "$marks/$n.pipe" ]; then
        rm -rf "$stage"/output.*.at-* "$stage/output.$((attempt - 1))" "$marks/$n.pid" "$marks/$n.pipe"
    fi
    mkfifo -m 600 "$marks/$n.pipe" || fail node 'No space left on device'
    # run.sh prints its process id after it has marked the stage. If it ends before that for any
    # reason, it prints nothing.
    pid=$(
        setsid sh -c "$common$run" reeve "$folder" "$connection" "$n" "$digest" "$chain" "$wanted" "$timeout" "$@" \
            3>&1 </dev/null >/dev/null 2>&1 &
    )
    [ -z "$pid" ] || stage_begun "$wanted" "$chain" $((tries + 1))
}

# Waits for the process that runs the stage, and reads the stage's state. The state is written after
# the process id. If a full disk or the stage itself has damaged the file with the process id, the
# known state is reported, and the manager sends another request.
running_wait() {
    waits=0
    while stage_read "$n" && [ "$state" = running ] && [ -z "$pid" ] && [ "$waits" -lt 40 ]; do
        { [ -f "$marks/$n.pid" ] && read -r pid <"$marks/$n.pid"; } 2>/dev/null || pid=
        case $pid in '' | 0* | *[!0-9]* | ???????????*)
            pid=
            sleep 0.05
            ;;
        esac
        waits=$((waits + 1))
    done
}

# Finds a piece of the output (run.sh). $piece is the piece that contains byte $offset, or the last
# piece before it; $at is where it begins. $next is the beginning of the next piece; empty: none.
piece_find() {
    piece=$stage/output at=0 next=
    for path in "$stage/output.$wanted.at-"*; do
        [ -e "$path" ] || continue
        next=${path##*-}
        next=${next#"${next%%[!0]*}"}
        [ "$next" -le "$offset" ] || return 0
        piece=$path at=$next next=
    done
}

# Ends the program that follows a piece when the next piece has begun, because the followed piece
# gets no more output. The manager then sends another request. Also ends the program when its time
# is over.
turn_watch() {
    turns=$((seconds * 2))
    while sleep 0.5 && kill -0 "$1"; do
        turns=$((turns - 1))
        for path in "$stage/output.$wanted.at-"*; do :; done
        if [ "$turns" -le 0 ] || { [ "$path" != "$piece" ] && [ -e "$path" ]; }; then
            kill "$1"
        fi
    done
}

# Copies one piece of output. If there is, or may be, more output, $more is set to its position. The
# manager continues there, or later if it has already received more.
follow() {
    [ -n "$pid" ] || running_wait
    [ -r "$stage/output" ] && [ "$attempt" = "$wanted" ] || return 0
    piece_find
    [ -f "$piece" ] || return 0
    set -- -c "+$((offset - at + 1))" "$piece"
    if [ -n "$next" ] || [ -z "$pid" ]; then
        tail "$@" 2>/dev/null
        more=$next
        return
    fi
    tail -s 0.1 -f --pid="$pid" "$@" 2>/dev/null &
    tail=$! was=$piece
    turn_watch "$tail" </dev/null >/dev/null 2>&1 &
    watch=$!
    { wait "$tail" || more=$offset; } 2>/dev/null # a shell reports signalled children
    kill "$watch" 2>/dev/null
    stage_read "$n"
    piece_find
    if [ -n "$next" ]; then
        more=$offset
        [ -e "$was" ] || more=$next
    fi
}

part=$bundles/$digest.part whole=$bundles/$digest checked=no
pid=
begin >&2
folder_have >&2
vars_text=
[ "$vars" -eq 0 ] || vars_receive >&2
if [ "$size" -gt 0 ]; then
    receive "$digest" "$size" "$from" "$room" >&2 || end >&2
    exec </dev/null # the bundle is complete: no more input
fi
if [ "$begin" = 1 ] && lock_take "$n"; then
    start "$@" >&2
    lock_give
fi
keep_whole sync "$part" >&2 # if no tree was made from it
more=
begin
follow
{
    stage_say "$n"
    [ -z "$more" ] || say "more $n $more"
    end
} >&2
