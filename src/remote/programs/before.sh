# shellcheck shell=sh disable=SC2154
# Shared by all programs that write outside of reeve's folder. Before a file is written for the
# first time, its previous state is recorded in $before/list, so that release.sh can restore it. A
# line of the list is KIND OWNER PATH:
#   none    the file did not exist
#   copy    the file existed; a copy of it is in $before
#   key     a private key existed; it is never changed, but may be renamed (keys.sh)
#   edit    reeve only adds lines; if the file existed, a copy of it is in $before
#   folder  the folder did not exist
#   older   reeve was used here before it kept this list, so the owner of existing keys is unknown
before=$folder/before
recorded= # "OWNER PATH" of each line, with a newline before and after it; empty until it is read
newline='
'

# Runs a command as a user. Files in a user's folder are accessed as that user, so that links there
# cannot lead to files of root.
as_user() {
    who=$1
    shift
    if [ "$who" = root ]; then "$@"; else runuser -u "$who" -- "$@"; fi
}

# copy_of PATH: sets $copy to the path of the copy.
copy_of() {
    copy=$before/ rest=$1
    while [ "$rest" != "${rest#*/}" ]; do
        copy=$copy${rest%%/*}%
        rest=${rest#*/}
    done
    copy=$copy$rest
}

before_have() {
    [ -z "$recorded" ] || return 0
    recorded=$newline
    if [ -s "$before/list" ]; then
        while IFS= read -r line; do
            recorded=$recorded${line#* }$newline
        done <"$before/list"
        return 0
    fi
    try node mkdir -p -m 700 "$before"
    if [ -e /etc/ssh/reeve ] || [ -e "$marks/facts" ]; then
        echo 'older root -' >"$before/list" 2>/dev/null || fail space "'$before/list' cannot be written"
    fi
}

# Sets $states to one letter for each pair KIND PATH: d for a folder, f for a file. The result is a
# text, because one shell of the user examines all paths of that user.
# shellcheck disable=SC2016
states_read='
states= is_path=no
for one in "$@"; do
    if [ "$is_path" = no ]; then
        is_path=yes
        continue
    fi
    is_path=no
    if [ -d "$one" ]; then states=${states}d; elif [ -f "$one" ]; then states=${states}f; else states=$states-; fi
done
'

# before_copy OWNER PATH: copies the file, and records its mode, owner and time.
before_copy() {
    copy_of "$2"
    if [ "$1" = root ]; then
        cat "$2" >"$copy" && stat -c '%a %u:%g %.9Y' "$2" >"$copy.stat"
    else
        # shellcheck disable=SC2016
        runuser -u "$1" -- sh -c 'cat "$0" && exec stat -c "%a %u:%g %.9Y" "$0" >&3' "$2" >"$copy" 3>"$copy.stat"
    fi 2>/dev/null || fail space "'$copy' cannot be written"
}

# before_keep OWNER KIND PATH [KIND PATH]...: records the states of those paths that are not
# recorded yet.
before_keep() {
    before_have
    owner=$1 pairs=$(($# / 2))
    shift
    while [ "$pairs" -gt 0 ]; do
        case $recorded in
        *"$newline$owner $2$newline"*) ;;
        *) set -- "$@" "$1" "$2" ;;
        esac
        shift 2
        pairs=$((pairs - 1))
    done
    [ $# -gt 0 ] || return 0
    if [ "$owner" = root ]; then
        eval "$states_read"
    else
        # shellcheck disable=SC2016
        states=$(runuser -u "$owner" -- sh -c "$states_read"'echo "$states"' sh "$@")
    fi
    is_new=no
    while [ $# -gt 0 ]; do
        kind=$1 state=${states%"${states#?}"}
        states=${states#?}
        case $kind:$state in
        folder:d) ;;
        *)
            case $kind:$state in
            folder:* | key:f | edit:[!f]) ;;
            *:f) before_copy "$owner" "$2" ;;
            *) kind=none ;;
            esac
            echo "$kind $owner $2" 2>/dev/null >>"$before/list" || fail space "'$before/list' cannot be written"
            recorded=$recorded$owner\ $2$newline
            is_new=yes
            ;;
        esac
        shift 2
    done
    [ "$is_new" = no ] || sync "$before/" "$before"/* 2>/dev/null || fail space "'$before/list' cannot be written"
}
