# shellcheck shell=sh disable=SC2154
# look WISH FROM STAGES DIGEST...: what is there. WISH names a wish to run stages again: all from FROM on, or those that failed
# (FROM is `failed`). It is fulfilled once, whatever is interrupted; - is none. Bundles that are none of the DIGESTs are removed.
wish=$1 from=$2 stages=$3
shift 3
begin
folder_have
known=
{ read -r known <"$marks/wish"; } 2>/dev/null || known=
if [ "$wish" != - ] && [ "$known" != "$wish" ]; then
    i=0
    while [ "$i" -lt "$stages" ]; do
        stage_read "$i"
        if [ "$from" = failed ]; then
            [ "$state" = lost ] || { [ "$state" = ended ] && [ "$end_code" -ne 0 ]; }
        else
            [ "$i" -ge "$from" ]
        fi || {
            i=$((i + 1))
            continue
        }
        [ "$state" != running ] || fail running "stage-$i is running"
        rm -f "$folder/stage-$i/stage-complete"
        [ ! -e "$folder/stage-$i" ] || try node sync "$folder/stage-$i/"
        if [ "$attempt" -gt 0 ]; then # of nothing that is wanted any more; its number is not used again
            echo "$attempt - 0" | put "$marks/$i.attempt" 600 || fail node 'a mark cannot be written'
        fi
        i=$((i + 1))
    done
    echo "$wish" | put "$marks/wish" 600 || fail node 'a mark cannot be written'
fi
for path in "$bundles"/*; do
    name=${path##*/} wanted=no
    for digest in "$@"; do
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
    i=$((i + 1))
done
end
