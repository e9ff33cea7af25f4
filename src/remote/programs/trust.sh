# shellcheck shell=sh disable=SC2154
# trust DIGEST USER: files of trust come on standard input, as a tar:
#   etc/        what /etc/ssh/reeve leads to: authorities, principals/, revoked, host-cert.pub, known_hosts
#   sshd.conf   the part of sshd's settings      ssh.conf   of ssh's
#   root-cert.pub, user-cert.pub                 certificates, put beside the keys that they are of
#   mark, lines      lines of USER's authorized_keys that begin with the mark give way to these; where there is none, none is added
# A certificate that does not come stays as it is.
# sshd is asked whether it takes the settings before they are installed, and again after it; where it does not, what was there
# comes back. Nothing changes where nothing differs.
digest=$1 user=$2
etc=/etc/ssh/reeve sshd=/etc/ssh/sshd_config.d/00-reeve.conf ssh=/etc/ssh/ssh_config.d/00-reeve.conf
main=/etc/ssh/sshd_config ssh_main=/etc/ssh/ssh_config

# What sshd has to read anew is marked before it changes: whatever ends this program in between, also a fault further down, the
# next one finds nothing that differs, and would leave sshd with its old settings.
reload_want() {
    reload=yes
    : >"$marks/reload" || fail space "'$marks/reload' cannot be written"
}

# install PATH 644|same FILE [reload]: 0 changed, 1 same; fails else. What was there stays in PATH.reeve-old.
install_file() {
    rm -f "$1.reeve-old"
    if [ -f "$1" ]; then
        cmp -s "$1" "$3" && return 1
        try node cp -p "$1" "$1.reeve-old"
    fi
    [ $# -lt 4 ] || reload_want
    put "$1" "$2" <"$3" || fail space "'$1' cannot be written"
}

back() {
    if [ -e "$1.reeve-old" ]; then
        mv -f "$1.reeve-old" "$1"
    else
        rm -f "$1"
    fi
}

listener() {
    { read -r pid </run/sshd.pid && [ "$(cat "/proc/$pid/comm")" = sshd ] && echo "$pid"; } 2>/dev/null
}

# sshd closes its socket and begins anew, and writes its number when it listens again: until then nobody is let in.
again() {
    before=$(stat -c '%i %z' /run/sshd.pid 2>/dev/null)
    try sshd kill -HUP "$1"
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        sleep 0.05
        after=$(stat -c '%i %z' /run/sshd.pid 2>/dev/null) && [ "$after" != "$before" ] && return 0
    done
}

# Up to OpenSSH 9.7 whoever serves a connection reads keys and certificates from their files; later ones get them from the
# listener, as with -r. While that begins anew it does not listen, and logins are refused: it is not to without need.
reads_certificates() {
    for path in /usr/lib/openssh /usr/libexec/openssh /usr/libexec /usr/lib/ssh; do
        [ ! -e "$path/sshd-session" ] || return 1
    done
    pid=$(listener) || return 1
    ! tr '\0' ' ' <"/proc/$pid/cmdline" | grep -q -- ' -[46DdeqtTiG]*r'
}

begin
folder_have
alone shared 'what all members are to know'
mkdir -p /run/sshd 2>/dev/null # sshd -t asks for it
new=$folder/trust.new
try node rm -rf "$new"
try node mkdir -m 700 "$new"
cat >"$new.tar" 2>/dev/null || fail space 'No space left on device'
sum=$(sha256sum <"$new.tar")
[ "${sum%% *}" = "$digest" ] || fail digest 'not all of the files have arrived'
try node tar -xf "$new.tar" -C "$new" --no-same-owner --no-same-permissions
rm -f "$new.tar"
try node chmod -R u=rwX,go=rX "$new/etc"

was=$(readlink "$etc") || was=
if [ ! -e "$new/etc/host-cert.pub" ]; then
    try cert cp "$etc/host-cert.pub" "$new/etc/host-cert.pub"
    try node chmod 644 "$new/etc/host-cert.pub"
fi
tree=$etc-$(echo "$digest" | head -c 16)-$$ # never the one that is in use
changed=no reload=no
[ ! -e "$marks/reload" ] || reload=yes
if [ -z "$was" ] || ! diff -r "$etc/" "$new/etc" >/dev/null 2>&1; then
    try node cp -rp "$new/etc" "$tree"
    try node sync -f "$tree"
    # with the new files, as if they were installed
    { sed "s#$etc/#$tree/#" "$new/sshd.conf" && cat "$main"; } >"$new/check" 2>/dev/null
    why=$(sshd -t -f "$new/check" 2>&1) || {
        rm -rf "$tree"
        fail sshd "$why"
    }
    cmp -s "$etc/host-cert.pub" "$new/etc/host-cert.pub" || reads_certificates || reload_want
    try node ln -sfn "$tree" "$etc.reeve-new"
    try node mv -fT "$etc.reeve-new" "$etc"
    changed=yes
fi
if ! grep -qi '^[[:space:]]*Include[[:space:]].*sshd_config\.d/' "$main"; then
    { echo 'Include /etc/ssh/sshd_config.d/*.conf' && cat "$main"; } >"$new/main"
    install_file "$main" same "$new/main" reload && changed=yes
fi
mkdir -p "${sshd%/*}" "${ssh%/*}"
install_file "$sshd" 644 "$new/sshd.conf" reload && changed=yes
if why=$(sshd -t 2>&1); then
    rm -f "$sshd.reeve-old" "$main.reeve-old"
else
    back "$sshd"
    [ ! -e "$main.reeve-old" ] || back "$main"
    if [ -n "$was" ]; then
        ln -sfn "$was" "$etc.reeve-new" && mv -fT "$etc.reeve-new" "$etc"
    else
        rm -f "$etc"
    fi
    rm -rf "$tree"
    fail sshd "$why"
fi
try node sync /etc/ssh/
[ "$changed" = no ] || for old in "$etc"-*; do
    [ "$old" = "$(readlink "$etc")" ] || rm -rf "$old"
done
if ! grep -qi '^[[:space:]]*Include[[:space:]].*ssh_config\.d/' "$ssh_main" 2>/dev/null; then
    { echo 'Include /etc/ssh/ssh_config.d/*.conf' && cat "$ssh_main"; } >"$new/ssh-main" 2>/dev/null
    install_file "$ssh_main" same "$new/ssh-main" && changed=yes && rm -f "$ssh_main.reeve-old"
fi
install_file "$ssh" 644 "$new/ssh.conf" && changed=yes && rm -f "$ssh.reeve-old"
root=$(getent passwd root | cut -d: -f6)
if [ -e "$new/root-cert.pub" ]; then
    try node mkdir -p -m 700 "${root:-/root}/.ssh"
    install_file "${root:-/root}/.ssh/id_ed25519-cert.pub" 644 "$new/root-cert.pub" && changed=yes
    rm -f "${root:-/root}/.ssh/id_ed25519-cert.pub.reeve-old"
fi
# shellcheck disable=SC2016
let_in='
set -u
umask 077
file=$0/.ssh/authorized_keys mark=$1
[ -f "$file" ] && [ ! -L "$file" ] && grep -qF -- "$mark" "$file" || exit 3
{ grep -vF -- "$mark" "$file"; cat; } >"$file.reeve-new" || exit 1
cmp -s "$file.reeve-new" "$file" && rm -f "$file.reeve-new" && exit 3
chmod 600 "$file.reeve-new" && sync "$file.reeve-new" && mv -f "$file.reeve-new" "$file"
'
if [ -e "$new/mark" ]; then
    home=$(getent passwd "$user" | cut -d: -f6)
    if [ "$user" = root ]; then
        sh -c "$let_in" "${home:-/root}" "$(cat "$new/mark")" <"$new/lines"
    else
        runuser -u "$user" -- sh -c "$let_in" "$home" "$(cat "$new/mark")" <"$new/lines"
    fi
    case $? in
    0) changed=yes ;;
    3) ;;
    *) fail space "the lines of '$user' cannot be written" ;;
    esac
fi
if [ -e "$new/user-cert.pub" ] && [ "$user" != root ]; then
    home=$(getent passwd "$user" | cut -d: -f6)
    # shellcheck disable=SC2016
    runuser -u "$user" -- sh -c 'umask 077; mkdir -p "$0/.ssh" && cat >"$0/.ssh/.reeve-new" &&
        mv -f "$0/.ssh/.reeve-new" "$0/.ssh/id_ed25519-cert.pub"' "$home" <"$new/user-cert.pub" ||
        fail user "the certificate of '$user' cannot be written"
fi
if [ "$reload" = yes ]; then
    if [ -d /run/systemd/system ]; then
        try sshd systemctl try-reload-or-restart ssh.service
        rm -f "$marks/reload"
    elif pid=$(listener); then
        again "$pid"
        rm -f "$marks/reload"
    else
        say 'reload missing'
    fi
fi
rm -rf "$new"
if [ "$changed" = yes ]; then
    say 'same no'
else
    say 'same yes'
fi
end
