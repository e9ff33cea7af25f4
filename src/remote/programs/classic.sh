# shellcheck shell=sh disable=SC2154
# classic NAME DIGEST: installs reeve's block of this name in root's authorized_keys and
# known_hosts. Standard input is a tar with the files authorized_keys and known_hosts. If one of
# them is empty, the block is removed from that file. All other lines remain unchanged.
name=$1 digest=$2
home_read root
ssh=${home:-/root}/.ssh

# block PATH LINES: replaces the block in a file. If the markers of the block are damaged, the
# program fails and changes nothing.
block() {
    [ ! -L "$1" ] || fail block "'$1' is a link"
    [ -e "$1" ] || : >"$1" || fail space "'$1' cannot be written"
    awk -v begin="# reeve begin $name: these lines are reeve's, and are written anew" \
        -v last="# reeve end $name" -v lines="$2" '
        function put(  line, any) {
            while ((getline line <lines) > 0) {
                if (!any++) print begin
                print line
            }
            if (any) print last
            is_put = 1
        }
        $0 == begin { if (inside || seen++) exit_code = 3; inside = 1; put(); next }
        $0 == last { if (!inside) exit_code = 3; inside = 0; next }
        !inside { print }
        END { if (inside) exit_code = 3; if (!is_put) put(); exit exit_code }' "$1" >"$new/out"
    case $? in
    0) ;;
    3) fail block "the marks of '$name' in '$1' are damaged" ;;
    *) fail space "'$1' cannot be written" ;;
    esac
    cmp -s "$new/out" "$1" && return 0
    put "$1" 600 <"$new/out" || fail space "'$1' cannot be written"
    same=no
}

begin
folder_have
alone shared 'writing shared files'
new=$folder/classic.new same=yes
try node rm -rf "$new"
try node mkdir -m 700 "$new"
cat >"$new/tar" 2>/dev/null || fail space 'No space left on device'
sum=$(sha256sum <"$new/tar")
[ "${sum%% *}" = "$digest" ] || fail digest 'not all of the lines have arrived'
try node tar -xf "$new/tar" -C "$new" --no-same-owner
before_keep root folder "$ssh" edit "$ssh/authorized_keys" edit "$ssh/known_hosts"
try node mkdir -p -m 700 "$ssh"
block "$ssh/authorized_keys" "$new/authorized_keys"
block "$ssh/known_hosts" "$new/known_hosts"
rm -rf "$new"
say "same $same"
end
