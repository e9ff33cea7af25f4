# shellcheck shell=sh disable=SC2154
# send DIGEST SIZE OFFSET ROOM: the piece of a bundle that begins at OFFSET comes on standard input; ROOM is how many KiB have to
# be free for all of it. What is there is told; the last piece makes it whole.
digest=$1 size=$2 offset=$3 room=$4
part=$bundles/$digest.part whole=$bundles/$digest

have() {
    have=0
    [ ! -e "$part" ] || have=$(stat -c %s "$part")
}

begin
folder_have
if [ ! -e "$whole" ]; then
    # Who holds the lock serves a connection that is gone, though its end may not have been heard of here.
    exec 9>>"$bundles/lock"
    if ! flock -n 9; then
        read -r old <"$bundles/pid" && kill "$old" 2>/dev/null
        flock -w 10 9 || fail busy 'somebody else writes the bundle'
    fi
    echo $$ >"$bundles/pid" || fail node 'No space left on device'
    have
    if [ "$have" -eq "$offset" ]; then
        if [ "$have" -eq 0 ]; then
            free=$(df -P -k "$bundles" | awk 'NR == 2 { print $4 }')
            [ "${free:-0}" -ge "$room" ] || fail space "$free KiB are free, and $room KiB are needed"
        fi
        if ! why=$(cat 2>&1 >>"$part"); then
            rm -f "$part"
            fail node "$why"
        fi
        have
    fi
    if [ "$have" -gt "$size" ]; then
        rm -f "$part"
        have=0
    elif [ "$have" -eq "$size" ]; then
        sum=$(sha256sum <"$part")
        if [ "${sum%% *}" != "$digest" ]; then
            rm -f "$part"
            fail digest 'what has arrived is not the bundle'
        fi
        try node sync "$part"
        try node mv -f "$part" "$whole"
        try node sync "$bundles/"
    fi
fi
if [ -e "$whole" ]; then
    say "whole $digest"
else
    say "part $digest $have"
fi
end
