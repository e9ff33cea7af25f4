# shellcheck shell=sh disable=SC2154
# look USER REQUEST FROM STAGES FACTS DIGEST...: reports the state of the stages and bundles, and
# with FACTS 1, after the line `facts`, the facts of the node. Removes all bundles except those with
# a DIGEST in the list. DIGEST:CHAIN is a stage whose legacy marker is trusted, in reeve's folder or
# in the home folder of USER or root. REQUEST is the id of a request to run stages again: all from
# FROM on, or the failed ones (FROM is `failed`). It takes effect once, even after an interruption;
# - means no request.
user=$1 request=$2 from=$3 stages=$4 facts=$5
shift 5
disk='' room=''

# The file has the ids of the newest requests that took effect. A manager that does not know the
# outcome of a request sends it again, possibly after later requests.
is_fulfilled() { grep -qxF -e "$request" "$marks/wish" 2>/dev/null; }

is_requested() {
    [ "$from" != failed ] || [ "$state" = lost ] || { [ "$state" = ended ] && [ "$end_code" -ne 0 ]; }
}

# forget N: makes a requested stage run again. Its newest attempt does not count any more, but the
# number of that attempt is not used again. The stage's lock is held while this is written.
# Otherwise it could overwrite the mark of an attempt that has begun meanwhile, and the next attempt
# would get the same number.
forget() {
    [ "$from" = failed ] || [ "$1" -ge "$from" ] || return 0
    lock_take "$1"
    stage_read "$1"
    if is_requested; then
        [ -n "$mine" ] || fail running "stage-$1 is running"
        rm -f "$folder/stage-$1/stage-complete"
        [ ! -e "$folder/stage-$1" ] || try node sync "$folder/stage-$1/"
        put "$marks/$1.attempt" 600 "$attempt - 0" || fail node 'a marker cannot be written'
    fi
    [ -z "$mine" ] || lock_give
}

fulfil() {
    i=0
    while [ "$i" -lt "$stages" ]; do
        forget "$i"
        i=$((i + 1))
    done
    { echo "$request" && head -n 63 "$marks/wish" 2>/dev/null; } | put "$marks/wish" 600 ||
        fail node 'a marker cannot be written'
}

# adopt N DIGEST CHAIN: accepts an empty file stage-complete as proof that an earlier tool has run
# this stage. This is done only if reeve has no mark of the stage. The result is recorded in a mark,
# so it is done only once.
adopt() {
    lock_take "$1" || return 0
    stage_read "$1"
    if [ ! -e "$marks/$1.attempt" ] && [ "$done_chain" = - ]; then
        home_read "$user"
        place_user=$home
        home_read root
        for place in "$folder" "$place_user" "$home"; do
            marker=$place/stage-$1/stage-complete
            if [ -n "$place" ] && [ -f "$marker" ] && [ ! -L "$marker" ] && [ ! -s "$marker" ]; then
                try node mkdir -p -m 700 "$stage"
                put "$stage/stage-complete" 644 "reeve1 $3 $2 0 $marker" || fail node 'a marker cannot be written'
                try node sync "$folder/"
                break
            fi
        done
    fi
    lock_give
}

# True if there are stages that are not in the list. A list without stages is not checked.
has_left() {
    [ "$stages" -gt 0 ] || return 1
    for path in "$folder"/stage-*; do
        n=${path##*/stage-}
        n=${n%.new}
        case $n in '' | *[!0-9]* | ???*) continue ;; esac
        [ "$n" -lt "$stages" ] || return 0
    done
    return 1
}

# Reports the digest of the distributed facts, if their files are unchanged since they were written.
shared_say() {
    [ -f "$marks/facts" ] || return 0
    shared='' was=''
    { read -r shared && read -r was; } <"$marks/facts" || shared=
    case $shared in *[!0-9a-f]*) shared= ;; esac
    [ "${#shared}" -eq 64 ] || return 0
    shared_files
    [ "$was" != "$files" ] || say "shared $shared"
}

begin
folder_have
# From here on, a late `clean` for an earlier look must not remove anything (clean.sh).
if [ "$stages" -gt 0 ] && [ -e "$marks/clean" ]; then
    alone wish 'removing old stages'
    rm -f "$marks/clean"
    exec 8>&-
fi
if [ "$request" != - ] && ! is_fulfilled; then
    alone wish 'a request to run stages again'
    is_fulfilled || fulfil
    exec 8>&-
fi
i=0
for digest in "$@"; do
    case $digest in *:*) adopt "$i" "${digest%:*}" "${digest#*:}" ;; esac
    i=$((i + 1))
done
for path in "$bundles"/*; do
    name=${path##*/} wanted=no
    for digest in "$@"; do
        digest=${digest%:*}
        case $name in
        "$digest") wanted=whole ;;
        "$digest.part") wanted=part ;;
        esac
    done
    case $wanted in
    whole) say "whole $name" ;;
    part) say "part ${name%.part} $(stat -c %s "$path")" ;;
    *) case $name in *lock | *pid) ;; *) rm -f "$path" ;; esac ;;
    esac
done
i=0
while [ "$i" -lt "$stages" ]; do
    stage_read "$i"
    stage_say "$i"
    if { [ -f "$stage/stage-complete" ] && read -r _ _ _ by marker <"$stage/stage-complete"; } 2>/dev/null && [ "$by" = 0 ]; then
        say "marker $i $marker"
    fi
    i=$((i + 1))
done
if has_left; then
    left=$(cat /proc/sys/kernel/random/uuid)
    echo "$left" >"$marks/clean" && say "left $left"
fi
if [ "$facts" = 1 ]; then
    shared_say
    # the size of the root file system, and the free space for bundles
    { read -r _ && read -r _ disk _ && read -r _ _ _ room _; } <<END || room=
$(df -P -k / "$bundles" 2>/dev/null)
END
    case $room in '' | *[!0-9]*) ;; *) say "room $room" ;; esac
    say facts
    facts_say "$disk" 64
fi
end
