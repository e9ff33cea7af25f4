# shellcheck shell=sh disable=SC2154
# native DIGEST ROOM: reeve-node comes on standard input, which does in one process what look and stage do in forty. It is kept where it
# can be run (a folder may be mounted without that, a policy may forbid it); else a note stays in its place, and nobody sends it
# again. Where less than ROOM KiB are free, that is left to bundles and stages.
digest=$1 room=$2
native=$folder/native/$digest

begin
folder_have
alone native 'what does the work of look and stage'
[ -d "$folder/native" ] || try node mkdir -m 700 "$folder/native"
free=$(df -P -k "$folder/native" 2>/dev/null | { read -r _ && read -r _ _ _ free _ && echo "$free"; })
if [ "${free:-0}" -lt "$room" ]; then
    say native no
    end
fi
rm -f "$folder/native"/* # of other versions
why=$(cat 2>&1 >"$native.new") || {
    rm -f "$native.new"
    fail node "$why"
}
sum=$(sha256sum <"$native.new")
if [ "${sum%% *}" != "$digest" ]; then # the connection was cut
    rm -f "$native.new"
    fail digest 'not all of reeve-node has arrived'
fi
try node chmod 700 "$native.new"
try node sync "$native.new"
said=$("$native.new" check 2>/dev/null)
case $said in
*reeve1*end)
    try node mv -f "$native.new" "$native"
    say native yes
    ;;
*)
    rm -f "$native.new"
    (: >"$native.no") 2>/dev/null || fail node 'a note cannot be written'
    say native no
    ;;
esac
end
