# shellcheck shell=sh disable=SC2154
# Shared by all programs that write outside of reeve's own folder. Before a file is written for the
# first time, its former state is recorded in $before/list, so that release.sh can restore it. A
# line of the list is KIND OWNER PATH:
#   none    the file did not exist
#   copy    the file existed; a copy of it is in $before
#   key     a private key existed; it is never changed, and at most renamed (keys.sh)
#   edit    reeve only adds lines of its own; if the file existed, a copy of it is in $before
#   folder  the folder did not exist
#   older   reeve was used here before it kept this list, so the owner of existing keys is unknown
before=$folder/before

# Runs a command as a user. Files in a user's folder are accessed as that user, so that links there
# cannot lead to files of root.
as_user() {
    who=$1
    shift
    if [ "$who" = root ]; then "$@"; else runuser -u "$who" -- "$@"; fi
}

# copy_of PATH: prints the path of the copy.
copy_of() { echo "$before/$(echo "$1" | tr / %)"; }

before_have() {
    [ ! -s "$before/list" ] || return 0
    try node mkdir -p -m 700 "$before"
    if [ -e /etc/ssh/reeve ] || [ -e "$marks/facts" ]; then
        echo 'older root -' >"$before/list" 2>/dev/null || fail space "'$before/list' cannot be written"
    fi
}

# before_keep KIND OWNER PATH: records the state of the path unless it is recorded already.
before_keep() {
    before_have
    [ ! -e "$before/list" ] || ! cut -d' ' -f2- "$before/list" | grep -qxF -e "$2 $3" || return 0
    kind=$1 copy=$(copy_of "$3")
    if [ "$kind" = folder ]; then
        ! as_user "$2" test -d "$3" || return 0
    elif ! as_user "$2" test -f "$3"; then
        [ "$kind" = edit ] || kind=none
    elif [ "$kind" != key ]; then
        { as_user "$2" cat "$3" >"$copy" && as_user "$2" stat -c '%a %u:%g %.9Y' "$3" >"$copy.stat"; } 2>/dev/null ||
            fail space "'$copy' cannot be written"
    fi
    { echo "$kind $2 $3" >>"$before/list" && sync "$before/list"; } 2>/dev/null || fail space "'$before/list' cannot be written"
}
