# shellcheck shell=sh disable=SC2154
# clean STAGES NAME: removes the stages from number STAGES on, which are no longer in the list:
# their folders and marks. The number of the newest attempt is kept, so that it is not used again. A
# running stage is not changed. NAME is the name that the newest `look` has reported. A program that
# runs late, because its connection was lost, has an older name, and so it removes nothing.
stages=$1 name=$2

clean() {
    lock_take "$1" || return 0
    stage_read "$1"
    put "$marks/$1.attempt" 600 "$attempt - 0" || fail node 'a marker cannot be written'
    rm -f "$marks/$1.end" "$marks/$1.next" "$marks/$1.pid" "$marks/$1.pipe" "$marks/$1.reserve"
    try node rm -rf "$folder/stage-$1" "$folder/stage-$1.new"
    lock_give
}

begin
alone wish 'removing old stages'
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
