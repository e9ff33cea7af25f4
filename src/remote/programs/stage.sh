# shellcheck shell=sh disable=SC2154
# stage N DIGEST CHAIN WANTED BEGIN TIMEOUT IDEMPOTENT OFFSET SECONDS RUN ARG...
# With BEGIN 1, begin attempt WANTED of a stage, unless it has been begun. Then its output from OFFSET on goes to
# standard output for up to SECONDS, while it runs. The answer comes on standard error.
n=$1 digest=$2 chain=$3 wanted=$4 begin=$5 timeout=$6 idempotent=$7 offset=$8 seconds=$9
shift 9
run=$1
shift

# A fresh tree for this chain takes the place of whatever was there.
expand() {
    new=$folder/stage-$n.new was=
    { read -r was <"$stage/.reeve"; } 2>/dev/null || was=
    [ "$was" != "$chain" ] || return 0
    [ -e "$bundles/$digest" ] || fail bundle 'the bundle is not there'
    try node rm -rf "$new"
    try node mkdir -m 700 "$new"
    why=$(umask 022 && tar -xf "$bundles/$digest" -C "$new" --no-same-owner --no-same-permissions \
        2>&1 >/dev/null) || {
        rm -rf "$new"
        fail expand "$why"
    }
    if ! echo "$chain" >"$new/.reeve" 2>/dev/null; then
        rm -rf "$new"
        fail space 'No space left on device'
    fi
    try node sync -f "$new"
    try node rm -rf "$stage"
    try node mv "$new" "$stage"
    try node sync "$folder/"
}

start() {
    stage_read "$n"
    [ "$attempt" -lt "$wanted" ] || return 0
    [ "$done_chain" != "$chain" ] || return 0
    if [ "$attempt_chain" != "$chain" ]; then
        tries=0
    elif [ "$idempotent" = 0 ]; then
        return 0 # it has begun once: the manager is told how that went
    fi
    expand
    # Marks are to be written also when the stage has filled the disk.
    head -c 65536 /dev/zero 2>/dev/null >"$marks/$n.reserve" || {
        rm -f "$marks/$n.reserve"
        fail space 'No space left on device'
    }
    [ ! -e "$stage/output" ] || mv -f "$stage/output" "$stage/output.$attempt"
    rm -f "$marks/$n.pid"
    : >"$stage/output" || fail node 'No space left on device'
    echo "$wanted $chain $((tries + 1)) $digest" | put "$marks/$n.attempt" 600 || fail space 'No space left on device'
    setsid sh -c "$run" reeve "$folder" "$n" "$digest" "$chain" "$wanted" "$timeout" "$@" \
        </dev/null >/dev/null 2>&1 &
}

follow() {
    pid=
    while stage_read "$n" && [ "$state" = running ] && [ -z "$pid" ]; do
        { read -r pid <"$marks/$n.pid"; } 2>/dev/null || sleep 0.05
    done
    [ -r "$stage/output" ] && [ "$attempt" = "$wanted" ] || return 0
    if [ -n "$pid" ]; then
        timeout "$seconds" tail -c "+$((offset + 1))" -s 0.1 -f --pid="$pid" "$stage/output" 2>/dev/null
        stage_read "$n"
    else
        tail -c "+$((offset + 1))" "$stage/output" 2>/dev/null
    fi
}

begin >&2
folder_have 2>/dev/null
if [ "$begin" = 1 ]; then
    exec 9>>"$marks/$n.lock"
    for _ in 1 2 3 4 5; do # who only looks has it for a moment
        if flock -n 9; then
            mine=yes
            start "$@" >&2
            break
        fi
        sleep 0.05
    done
    # shellcheck disable=SC2034
    mine=
    exec 9>&-
fi
follow
{
    stage_say "$n"
    end
} >&2
