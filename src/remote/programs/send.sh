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
    if [ ! -e "$whole" ]; then
        # Who holds the lock serves a connection that is gone, though its end may not have been heard of here.
        exec 9>>"$bundles/lock"
        if ! flock -n 9; then
            { [ -f "$bundles/pid" ] && read -r old <"$bundles/pid"; } 2>/dev/null || old=
            case $old in '' | 0* | 1 | *[!0-9]* | ???????????*) ;; *) kill "$old" 2>/dev/null ;; esac
            flock -w 10 9 || fail busy 'somebody else writes the bundle'
        fi
        echo $$ >"$bundles/pid" || fail node 'No space left on device'
        receive_locked
        : >"$bundles/pid" # nobody is to end what this program does next
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

# With a ROOM of 0 the manager knows already.
room_check() {
    [ "$room" -gt 0 ] || return 0
    free=$(df -P -k "$bundles" 2>/dev/null | { read -r _ && read -r _ _ _ free _ && echo "$free"; })
    [ "${free:-0}" -ge "$room" ] || fail space "$free KiB are free, and $room KiB are needed"
}

# The first piece is the last one more often than not: its digest is made as it comes. A line with a digest alone says that all of
# what was read has been written.
receive_all() {
    said=$({ { tee "$part" 2>&3 || echo 'it is not all written' >&3; } | sha256sum; } 3>&1)
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

# check SUM: as many bytes as the bundle has are there.
check() {
    if [ "${1%% *}" != "$digest" ]; then
        rm -f "$part"
        fail digest 'what has arrived is not the bundle'
    fi
    checked=yes
}

# keep_whole COMMAND...: what is checked, and on the disk by this command, gets its name. Where the power fails before that, the next
# piece is one of no bytes. Of a connection that is gone, another program may be here as well: whoever comes first has done it.
keep_whole() {
    [ "$checked" = no ] || why=$("$@" 2>&1 && mv -f "$part" "$whole" 2>&1) || [ -e "$whole" ] || fail node "$why"
    checked=no
}
