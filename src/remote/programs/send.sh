# shellcheck shell=sh disable=SC2154
# In front of `stage`, not a program of its own: to become root once more costs as much as all the rest of it.

have() {
    have=0
    [ ! -e "$part" ] || have=$(stat -c %s "$part" 2>/dev/null)
}

# receive DIGEST SIZE FROM ROOM: the piece of a bundle that begins at byte FROM comes on standard input; ROOM is how many KiB have to
# be free for all of it. It is told what is there, and nothing else may be said in between; the last piece makes it whole. False: there is more to come.
receive() {
    digest=$1 size=$2 from=$3 room=$4
    part=$bundles/$digest.part whole=$bundles/$digest
    if [ ! -e "$whole" ]; then
        # Who holds the lock serves a connection that is gone, though its end may not have been heard of here.
        exec 9>>"$bundles/lock"
        if ! flock -n 9; then
            { read -r old <"$bundles/pid" && kill "$old"; } 2>/dev/null
            flock -w 10 9 || fail busy 'somebody else writes the bundle'
        fi
        echo $$ >"$bundles/pid" || fail node 'No space left on device'
        receive_locked
        : >"$bundles/pid" # nobody is to end what this program does next
        exec 9>&-
    fi
    if [ -e "$whole" ]; then
        say "whole $digest"
        return 0
    fi
    say "part $digest $have"
    return 1
}

receive_locked() {
    [ ! -e "$whole" ] || return 0
    have
    if [ "$have" -eq "$from" ]; then
        if [ "$have" -eq 0 ]; then
            free=$(df -P -k "$bundles" 2>/dev/null | { read -r _ && read -r _ _ _ free _ && echo "$free"; })
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
        sum=$(sha256sum <"$part" 2>/dev/null)
        if [ "${sum%% *}" != "$digest" ]; then
            rm -f "$part"
            fail digest 'what has arrived is not the bundle'
        fi
        try node sync "$part"
        try node mv -f "$part" "$whole" # where the power fails, it has its old name, and is whole
    fi
}
