# shellcheck shell=sh disable=SC2154
# verify MODE WANTED LEVEL TIMEOUT...: writes or checks the baseline of this node. Standard input
# has the paths of the files that belong to the baseline, one per line; a folder means all files in
# it. MODE is
#   take   writes the list of the states of these files, after stages have run. WANTED identifies
#          the run: if the list of this run already exists, it is kept, because files may have been
#          changed since.
#   keep   the same, but any existing list is kept, because a correction must restore the recorded
#          states.
#   check  compares the files with the list, and the files that reeve has written with their lists.
#          WANTED is the digest that the list must have; - means that no digest was recorded. If
#          LEVEL is hook, the hook `verify` of each stage runs too; the TIMEOUTs are in seconds, in
#          the order of the stages.
# Answer: `digest SUM` of the list; `file PATH: WHAT` for the first files that differ, and `files
# COUNT`; `unknown WHY` if the check is not possible; `boot BOOT`. Only root can read the lists.
mode=$1 wanted=$2 level=$3
shift 3
list=$marks/baseline new=$marks/baseline.new shown=0 count=0 unknown=

# walk: writes the states of the files below the given paths to $new.states. Files and links are
# skipped if their path or target has control characters.
walk() {
    : >"$new.states"
    [ -n "$roots" ] || return 0
    if ! printf '%s' "$roots" | tr '\n' '\0' | xargs -0 -r sh -c 'exec find -H "$@" ! -path "*[[:cntrl:]]*" ! -lname "*[[:cntrl:]]*" -printf "%p\t%y\t%m\t%U:%G\t%l\n"' sh \
        2>/dev/null | head -n 5001 >"$new.found"; then
        fail space "'$new.found' cannot be written"
    fi
    if [ "$(wc -l <"$new.found")" -gt 5000 ]; then
        rm -f "$new.found"
        fail limit 'there are more than 5,000 files below the paths of the manifest'
    fi
    {
        cat "$new.found"
        awk -F "$tab" '$2 == "f" { print $1 }' "$new.found" | tr '\n' '\0' | xargs -0 -r nice sha256sum -z 2>/dev/null | tr '\0' '\n'
    } | states_join >"$new.states" || fail space "'$new.states' cannot be written"
    rm -f "$new.found"
}

# take: installs $new.states as the list. The list begins with the paths and the identity of the
# run.
take() {
    { printf '%s' "$roots" | tr '\n' "$tab" && echo && cat "$new.states"; } >"$new.body" || fail space "'$new.body' cannot be written"
    sum=$(sha256sum <"$new.body")
    sum=${sum%% *}
    head_write "$new.body"
    own_take_all
    rm -f "$new.states"
}

shared_lock() {
    exec 7>>"$marks/shared.lock"
    flock -w 10 7 || fail busy 'another program is busy: writing shared files'
}

own_take_all() {
    shared_lock
    for part in facts trust stages; do
        own_take "$part"
    done
    exec 7>&-
}

# head_write FILE: installs the list; its lines are in FILE.
head_write() {
    { echo "reeve1 $sum $run" && cat "$1"; } | put "$list" 600 2>/dev/null || fail space "'$list' cannot be written"
    rm -f "$new.body"
}

# list_read: sets $sum and $run from the list. Returns false if there is no readable list.
list_read() {
    sum=- run=- is_whole=no
    { [ -f "$list" ] && read -r form sum run <"$list"; } 2>/dev/null || form=
    [ "$form" = reeve1 ] && [ "${#sum}" -eq 64 ] || return 1
    tail -n +2 "$list" >"$new.body" || fail space "'$new.body' cannot be written"
    found=$(sha256sum <"$new.body")
    [ "${found%% *}" != "$sum" ] || is_whole=yes
}

# differ PATH: WHAT: reports a file that differs. Only the first files are reported.
differ() {
    count=$((count + 1))
    [ "$shown" -ge 20 ] || { shown=$((shown + 1)) && say "file $*"; }
}

# compare OLD NEW: reports the files of two lists that differ.
compare() {
    awk -F "$tab" -v old="$1" '
        BEGIN {
            while ((getline line <old) > 0) {
                split(line, field, FS)
                kind[field[1]] = field[2]; mode[field[1]] = field[3]; owner[field[1]] = field[4]; content[field[1]] = field[5]
                order[++count] = field[1]
            }
        }
        {
            seen[$1] = 1
            if (!($1 in kind)) { print $1 ": added"; next }
            what = ""
            if (kind[$1] != $2 || content[$1] != $5) what = "content"
            if (mode[$1] != $3 && kind[$1] != "l") what = what (what == "" ? "" : ", ") "mode"
            if (owner[$1] != $4) what = what (what == "" ? "" : ", ") "owner"
            if (what != "") print $1 ": " what
        }
        END { for (i = 1; i <= count; i++) if (!(order[i] in seen)) print order[i] ": missing" }' "$2" >"$new.differ"
    while IFS= read -r line; do
        differ "$line"
    done <"$new.differ"
    rm -f "$new.differ"
}

own_compare() {
    shared_lock
    for part in facts trust stages; do
        [ -e "$marks/own.$part" ] || continue
        states_join <"$marks/own.$part" >"$new.was"
        own_raw "$part" | states_join >"$new.own"
        compare "$new.was" "$new.own"
    done
    exec 7>&-
    rm -f "$new.own" "$new.was"
}

# hooks_run TIMEOUT...: exit code 0 of a hook means unchanged, 1 means drifted; any other means
# unknown.
hooks_run() {
    n=0
    for timeout in "$@"; do
        if has_hook verify "$n"; then
            hook_run verify "$n" "$timeout"
            case $code in
            0) ;;
            1)
                before=$count
                while IFS= read -r line; do
                    [ -z "$line" ] || differ "$line"
                done <"$output"
                [ "$count" -gt "$before" ] || differ "stage-$n: verify.sh"
                ;;
            124 | 137) unknown="verify.sh of stage-$n took longer than $timeout s" ;;
            *)
                last=$(tail -n 1 "$output")
                unknown="verify.sh of stage-$n ended with exit code $code${last:+: $last}"
                ;;
            esac
            rm -f "$output"
        fi
        n=$((n + 1))
    done
}

# The boot of this machine, as in reboot.sh.
boot_say() {
    read -r id </proc/sys/kernel/random/boot_id && read -r stat </proc/1/stat || return 0
    # shellcheck disable=SC2086
    set -- ${stat##*) }
    shift 19
    say "boot $id:$1"
}

check() {
    if ! list_read; then
        run=none
        walk
        take
        unknown='there was no baseline; one was taken now'
        return
    fi
    if [ "$is_whole" = no ]; then
        differ "$list: content"
    elif [ "$sum" != "$wanted" ]; then
        unknown='the baseline of the node is not the one that was recorded'
    fi
    IFS= read -r former <"$new.body"
    current=$(printf '%s' "$roots" | tr '\n' "$tab")
    roots_now=$roots roots=$(printf '%s' "$former" | tr "$tab" '\n')
    [ -z "$roots" ] || roots=$roots$newline
    walk
    tail -n +2 "$new.body" >"$new.list"
    compare "$new.list" "$new.states"
    own_compare
    [ "$level" != hook ] || hooks_run "$@"
    rm -f "$new.list" "$new.body"
    if [ "$count" -eq 0 ] && [ "$former" != "$current" ]; then # the manifest names other paths now
        roots=$roots_now
        walk
        take
    fi
}

begin
folder_have
alone baseline 'the baseline of the node'
roots=$(cat && echo .) # a substitution drops newlines at its end
roots=${roots%.}
case $mode in
check) check "$@" ;;
*)
    if ! list_read || [ "$is_whole" = no ] || { [ "$mode" = take ] && [ "$run" != "$wanted" ]; }; then
        run=$wanted
        walk
        take
    else
        run=$wanted
        head_write "$new.body"
        own_take_all
    fi
    ;;
esac
rm -f "$new" "$new.states"
say "digest $sum"
say "files $count"
[ -z "$unknown" ] || say "unknown $unknown"
boot_say 2>/dev/null
end
