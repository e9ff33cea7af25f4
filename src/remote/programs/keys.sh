# shellcheck shell=sh disable=SC2154
# keys USER STALE STALE: creates the host key, root's key and USER's key if they are missing, and
# reports the public keys. If the public part of root's or USER's key equals a STALE key, the key is
# replaced. Files in the user's folder are accessed as that user, so that links there cannot lead to
# files of root.
user=$1
stale="$2 $3 "
# shellcheck disable=SC2016
make='
set -u
umask 077
key=$0 comment=$1 stale=$2
body=
{ read -r _ body _ <"$key.pub"; } 2>/dev/null
case " $stale" in
*" ${body:-none} "*) mv -f "$key" "$key.revoked" && rm -f "$key-cert.pub" || exit 1 ;;
esac
if [ ! -s "$key" ]; then
    mkdir -p -m 700 "${key%/*}" &&
    t=$(mktemp -d "${key%/*}/.reeve-XXXXXX") || exit 1
    ssh-keygen -q -t ed25519 -N "" -C "$comment" -f "$t/key" </dev/null && chmod 644 "$t/key.pub" &&
        sync "$t/key" && mv -f "$t/key.pub" "$key.pub" && mv -n "$t/key" "$key" && sync "${key%/*}/"
    code=$?
    rm -rf "$t"
    [ "$code" -eq 0 ] || exit 1
fi
want=$(ssh-keygen -y -P "" -f "$key" </dev/null) || exit 1
type= body=
{ read -r type body _ <"$key.pub"; } 2>/dev/null
case "$want " in
"$type $body "*) ;;
*) # a pair that was cut in two, or of another key
    printf "%s\n" "$want $comment" >"$key.pub.new" && chmod 644 "$key.pub.new" &&
        mv -f "$key.pub.new" "$key.pub" || exit 1
    ;;
esac
IFS= read -r line <"$key.pub"
printf "%s\n" "$line"
'

# key_report WORD KEY COMMAND...: runs the command and reports the public key that it prints.
key_report() {
    word=$1 key=$2
    shift 2
    why=$folder/keys.why
    clear "$why"
    (: >"$why") 2>/dev/null || fail node 'No space left on device'
    line=$("$@" 2>"$why") || {
        text=$(cat "$why")
        fail key "$key: ${text:-no key could be created}"
    }
    say "$word $line"
}

begin
folder_have
alone shared 'writing shared files'
name=$(hostname)
home_read root
ssh=${home:-/root}/.ssh
before_keep root folder /etc/ssh key /etc/ssh/ssh_host_ed25519_key copy /etc/ssh/ssh_host_ed25519_key.pub \
    folder "$ssh" key "$ssh/id_ed25519" copy "$ssh/id_ed25519.pub"
key_report host /etc/ssh/ssh_host_ed25519_key sh -c "$make" /etc/ssh/ssh_host_ed25519_key "root@$name" ''
key_report root "$ssh/id_ed25519" sh -c "$make" "$ssh/id_ed25519" "root@$name" "$stale"
if [ "$user" != root ]; then
    home_read "$user"
    [ -d "${home:-/nowhere}" ] || fail user "the user '$user' has no home folder"
    before_keep "$user" folder "$home/.ssh" key "$home/.ssh/id_ed25519" copy "$home/.ssh/id_ed25519.pub"
    key_report user "$home/.ssh/id_ed25519" runuser -u "$user" -- sh -c "$make" "$home/.ssh/id_ed25519" "$user@$name" "$stale"
fi
rm -f "$why"
end
