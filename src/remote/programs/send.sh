# shellcheck shell=sh disable=SC2154
# A part of `stage`. It is not a separate program, because becoming root once more would cost as
# much time as everything else.

have() {
    have=0
    [ ! -e "$part" ] || have=$(stat -c %s "$part" 2>/dev/null)
}

# receive DIGEST SIZE FROM ROOM: receives a piece of a bundle, which begins at byte FROM, from
# standard input. ROOM is the free space in KiB that the whole bundle needs. The answer reports how
# much of the bundle has arrived; nothing else may be printed in between. The last piece completes
# the bundle. Returns false if more pieces are needed.
receive() {
    digest=$1 size=$2 from=$3 room=$4
    if [ ! -e "$whole" ]; then
        # The program of a lost connection may still hold the lock, because this node has not
        # noticed yet that the connection has ended.
        exec 9>>"$bundles/lock"
        if ! flock -n 9; then
            { [ -f "$bundles/pid" ] && read -r old <"$bundles/pid"; } 2>/dev/null || old=
            case $old in '' | 0* | 1 | *[!0-9]* | ???????????*) ;; *) kill "$old" 2>/dev/null ;; esac
            flock -w 10 9 || fail busy 'another program writes the bundle'
        fi
        echo $$ >"$bundles/pid" || fail node 'No space left on device'
        receive_locked
        : >"$bundles/pid" # this program must not be killed any more
        exec 9>&-
    fi
    if [ -e "$whole" ] || [ "$checked" = yes ]; then
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
            room_check
            receive_all
            return
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
        check "$(sha256sum <"$part" 2>/dev/null)"
    fi
}

# Checks the free space. ROOM is 0 if the manager already knows that there is enough space.
room_check() {
    [ "$room" -gt 0 ] || return 0
    free=$(df -P -k "$bundles" 2>/dev/null | { read -r _ && read -r _ _ _ free _ && echo "$free"; })
    [ "${free:-0}" -ge "$room" ] || fail space "$free KiB are free, and $room KiB are needed"
}

# Most bundles have only one piece, so the digest is computed while the piece arrives. If the output
# is one line with a digest, all bytes that were read have also been written.
receive_all() {
    said=$({ { tee "$part" 2>&3 || echo 'it was not written completely' >&3; } | sha256sum; } 3>&1)
    if [ "$said" = "$digest  -" ]; then
        checked=yes
        return
    fi
    case $said in
    *[!0-9a-f\ -]*)
        rm -f "$part"
        fail node "$said"
        ;;
    esac
    have
    [ "$have" -lt "$size" ] || check "$said"
}

# check SUM: compares the digest once all bytes of the bundle have arrived.
check() {
    if [ "${1%% *}" != "$digest" ]; then
        rm -f "$part"
        fail digest 'the received bytes are not the bundle'
    fi
    checked=yes
}

# keep_whole COMMAND...: makes a checked bundle durable with this command, and then gives it its
# final name. After a power loss before the rename, the manager sends a piece without bytes, which
# completes the bundle. The program of a lost connection may do the same; the first program to
# finish wins.
keep_whole() {
    [ "$checked" = no ] || why=$("$@" 2>&1 && mv -f "$part" "$whole" 2>&1) || [ -e "$whole" ] || fail node "$why"
    checked=no
}
