# shellcheck shell=sh disable=SC2154
# The part that all programs share which write outside of reeve's own folder: before a file is written for the first time, what was
# there is written down in $before/list, so that release.sh can bring it back. A line is KIND OWNER PATH:
#   none   there was no such file                    copy   there was one; a copy of it is in $before
#   key    there was a private key, which is never changed, and at most moved aside (keys.sh)
#   edit   reeve only has lines of its own in it; a copy of how it was is in $before, where there was one
#   folder there was no such folder                  older  reeve had been here before it kept this list: of keys it is not
#          known whose they are
before=$folder/before

# What is in a user's folder is done as that user: links there lead to nothing that is root's.
as_user() {
    who=$1
    shift
    if [ "$who" = root ]; then "$@"; else runuser -u "$who" -- "$@"; fi
}

# copy_of PATH: where the copy is.
copy_of() { echo "$before/$(echo "$1" | tr / %)"; }

before_have() {
    [ ! -s "$before/list" ] || return 0
    try node mkdir -p -m 700 "$before"
    if [ -e /etc/ssh/reeve ] || [ -e "$marks/facts" ]; then
        echo 'older root -' >"$before/list" 2>/dev/null || fail space "'$before/list' cannot be written"
    fi
}

# before_keep KIND OWNER PATH, unless it is known already.
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
