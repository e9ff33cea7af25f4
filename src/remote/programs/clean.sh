# shellcheck shell=sh disable=SC2154
# clean STAGES NAME: stages from number STAGES on, which the list no longer has, go: their folders and marks, but for the number of the
# newest attempt, which is not used again. One that runs stays. NAME is what the newest look has said: a program of a
# connection that is gone, which knows an older list, is late, and cleans nothing.
stages=$1 name=$2

clean() {
    lock_take "$1" || return 0
    stage_read "$1"
    put "$marks/$1.attempt" 600 "$attempt - 0" || fail node 'a mark cannot be written'
    rm -f "$marks/$1.end" "$marks/$1.next" "$marks/$1.pid" "$marks/$1.pipe" "$marks/$1.reserve"
    try node rm -rf "$folder/stage-$1" "$folder/stage-$1.new"
    lock_give
}

begin
alone wish 'cleaning stages that are no more'
{ read -r newest <"$marks/clean"; } 2>/dev/null || newest=
if [ "$newest" = "$name" ]; then
    for path in "$folder"/stage-*; do
        n=${path##*/stage-}
        n=${n%.new}
        case $n in '' | *[!0-9]* | ???*) continue ;; esac
        if [ "$n" -ge "$stages" ] && [ -e "$path" ]; then
            clean "$n"
        fi
    done
    rm -f "$marks/clean"
fi
end
