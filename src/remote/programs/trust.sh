# shellcheck shell=sh disable=SC2154
# trust DIGEST USER: installs the files of trust from a tar on standard input:
#   etc/           the content for /etc/ssh/reeve: authorities, principals/, revoked, host-cert.pub,
#                  host-authorities
#   sshd.conf      reeve's part of sshd's settings
#   root-cert.pub, user-cert.pub
#                  certificates, installed beside their keys
#   mark, lines    lines of USER's authorized_keys that begin with the mark are replaced by these
#                  lines; if no line begins with the mark, nothing is added
# A certificate that is not in the tar remains unchanged. known_hosts and the settings of ssh are
# derived from host-authorities and from the members that were distributed (members.sh).
#
# Settings of the machine's owners stay in force (docs/decisions/0113). Their authorities,
# principals and revoked keys are merged into reeve's files, and reeve's settings are limited to the
# users that reeve logs in as. Their host keys of other kinds stay. If their revocation list cannot
# be merged, the program fails and changes nothing. sshd checks the settings before they are
# installed and again afterwards; if it rejects them, the former files are restored. Without
# differences nothing is changed.
digest=$1 user=$2
etc=/etc/ssh/reeve sshd=/etc/ssh/sshd_config.d/00-reeve.conf ssh=/etc/ssh/ssh_config.d/00-reeve.conf
main=/etc/ssh/sshd_config ssh_main=/etc/ssh/ssh_config

# Records that sshd must reload, before its settings change. If this program ends in between, the
# next run finds no differences. Without this mark, sshd would then keep its old settings.
reload_want() {
    reload=yes
    : >"$marks/reload" || fail space "'$marks/reload' cannot be written"
}

# install PATH 644|same FILE [reload]: returns 0 if the file was changed, 1 if it was already the
# same; otherwise ends with a fault. The previous file is kept as PATH.reeve-old.
install_file() {
    clear "$1.reeve-old"
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
    { read -r pid </run/sshd.pid && read -r name <"/proc/$pid/comm" && [ "$name" = sshd ] && echo "$pid"; } 2>/dev/null
}

# Makes sshd reload. sshd closes its socket, restarts, and writes its process id when it listens
# again. Until then it accepts no logins.
again() {
    before=$(stat -c '%i %z' /run/sshd.pid 2>/dev/null)
    try sshd kill -HUP "$1"
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        sleep 0.05
        after=$(stat -c '%i %z' /run/sshd.pid 2>/dev/null) && [ "$after" != "$before" ] && return 0
    done
}

# Up to OpenSSH 9.7 the process of each connection reads keys and certificates from their files. In
# later versions, and with -r, it gets them from the listener. sshd rejects logins while it
# restarts, so it must not be restarted without need.
reads_certificates() {
    for path in /usr/lib/openssh /usr/libexec/openssh /usr/libexec /usr/lib/ssh; do
        [ ! -e "$path/sshd-session" ] || return 1
    done
    pid=$(listener) || return 1
    ! tr '\0' ' ' <"/proc/$pid/cmdline" | grep -q -- ' -[46DdeqtTiG]*r'
}

# u32 FILE OFFSET: prints the big-endian number at this offset, as in a KRL.
u32() {
    # shellcheck disable=SC2046
    set -- $(od -An -tu1 -j"$2" -N4 "$1")
    [ $# -eq 4 ] && echo $((($1 << 24) + ($2 << 16) + ($3 << 8) + $4))
}

is_set() { [ -n "$1" ] && [ "$1" != none ]; }

# Reads the settings of sshd as they would be without reeve's.
settings_read() {
    for one in "${sshd%/*}"/*.conf; do
        [ "$one" = "$sshd" ] || [ ! -e "$one" ] || echo "Include $one"
    done >"$new/others"
    sed -e "/^[[:space:]]*[Ii]nclude[[:space:]].*sshd_config\\.d\\//{r $new/others
d
}" "$main" >"$new/theirs" 2>/dev/null
    timeout 10 sshd -T -f "$new/theirs" >"$new/settings" 2>/dev/null || : >"$new/settings"
}

# Adds the owners' revoked keys to reeve's list. The sections of a KRL are appended; a list of keys
# is added by ssh-keygen.
revoked_merge() {
    [ -s "$1" ] || return 0
    if [ "$(head -c 6 "$1")" = SSHKRL ]; then
        ssh-keygen -Q -l -f "$1" >/dev/null 2>&1 &&
            reserved=$(u32 "$1" 36) && comment=$(u32 "$1" $((40 + reserved))) &&
            tail -c +$((45 + reserved + comment)) "$1" >>"$new/etc/revoked" &&
            ssh-keygen -Q -l -f "$new/etc/revoked" >/dev/null 2>&1
    else
        ssh-keygen -k -u -f "$new/etc/revoked" "$1" >/dev/null 2>&1
    fi || fail sshd \
        "RevokedKeys '$1' of this machine cannot be merged with the keys that reeve revokes; make it a list of public keys"
}

# Accepts the certificates of the owners' authority as before: by the owners' principals files or,
# if they have no such setting, by the name of the user.
principals_merge() {
    for file in "$new"/etc/principals/*; do
        [ -f "$file" ] || continue
        name=${file##*/}
        if is_set "$1"; then
            home_read "$name"
            theirs=$(echo "$1" | sed "s#%u#$name#g; s#%h#$home#g; s#%%#%#g")
            [ ! -r "$theirs" ] || cat "$theirs" >>"$file"
        else
            echo "$name" >>"$file"
        fi
    done
}

# Limits reeve's settings to the users that have a principals file. For all other users the owners'
# settings stay in force.
users_limit() {
    names=
    for file in "$new"/etc/principals/*; do
        [ ! -f "$file" ] || names=$names${names:+,}${file##*/}
    done
    # Without reeve's principals no user can log in with reeve's certificates, so the owners'
    # settings must not change.
    { grep -vE '^(TrustedUserCAKeys|AuthorizedPrincipalsFile|RevokedKeys) ' "$new/sshd.conf"
        [ -z "$names" ] || {
            echo "Match User $names"
            grep -E '^(TrustedUserCAKeys|AuthorizedPrincipalsFile|RevokedKeys) ' "$new/sshd.conf" | sed 's/^/    /'
        }; } >"$new/limited"
    try node mv -f "$new/limited" "$new/sshd.conf"
}

theirs_merge() {
    settings_read
    authorities='' principals='' revoked=''
    while read -r name value; do
        case $name in
        hostkey)
            [ ! -f "$value" ] || grep -qixF "HostKey $value" "$new/sshd.conf" || echo "HostKey $value" >>"$new/sshd.conf"
            ;;
        trustedusercakeys) authorities=${authorities:-$value} ;;
        authorizedprincipalsfile) principals=${principals:-$value} ;;
        revokedkeys) revoked=${revoked:-$value} ;;
        esac
    done <"$new/settings"
    is_set "$authorities" || is_set "$principals" || is_set "$revoked" || return 0
    if is_set "$authorities" && [ -r "$authorities" ]; then
        { echo && cat "$authorities"; } >>"$new/etc/authorities"
        principals_merge "$principals"
    fi
    ! is_set "$revoked" || revoked_merge "$revoked"
    users_limit
}

begin
folder_have
alone shared 'writing shared files'
mkdir -p /run/sshd 2>/dev/null # sshd -t requires it
new=$folder/trust.new
try node rm -rf "$new"
try node mkdir -m 700 "$new"
cat >"$new.tar" 2>/dev/null || fail space 'No space left on device'
sum=$(sha256sum <"$new.tar")
[ "${sum%% *}" = "$digest" ] || fail digest 'not all of the files have arrived'
try node tar -xf "$new.tar" -C "$new" --no-same-owner --no-same-permissions
rm -f "$new.tar"
try node chmod -R u=rwX,go=rX "$new/etc"
theirs_merge

{ members_known_hosts "$new/etc/host-authorities" >"$new/etc/known_hosts" && members_ssh_config >"$new/ssh.conf"; } 2>/dev/null ||
    fail space "'$new/ssh.conf' cannot be written"
try node chmod 644 "$new/etc/known_hosts"
was=$(readlink "$etc") || was=
if [ ! -e "$new/etc/host-cert.pub" ]; then
    try cert cp "$etc/host-cert.pub" "$new/etc/host-cert.pub"
    try node chmod 644 "$new/etc/host-cert.pub"
fi
tree=$etc-${digest%"${digest#????????????????}"}-$$ # never the one in use
changed=no reload=no
[ ! -e "$marks/reload" ] || reload=yes
if [ -z "$was" ] || ! diff -r "$etc/" "$new/etc" >/dev/null 2>&1; then
    try node cp -rp "$new/etc" "$tree"
    try node sync -f "$tree"
    # the new files, with the paths that they have before they are installed
    sed "s#$etc/#$tree/#" "$new/sshd.conf" >"$new/ours" 2>/dev/null
    # in a separate file, so that a Match in reeve's part ends at the end of that file
    { echo "Include $new/ours" && cat "$main"; } >"$new/check" 2>/dev/null
    why=$(sshd -t -f "$new/check" 2>&1) || {
        rm -rf "$tree"
        fail sshd "$why"
    }
    cmp -s "$etc/host-cert.pub" "$new/etc/host-cert.pub" || reads_certificates || reload_want
    try node ln -sfn "$tree" "$etc.reeve-new"
    try node mv -fT "$etc.reeve-new" "$etc"
    changed=yes
fi
home_read root
ssh_root=${home:-/root}/.ssh has_include=yes ssh_has_include=yes
set -- folder "${sshd%/*}" folder "${ssh%/*}"
if ! grep -qi '^[[:space:]]*Include[[:space:]].*sshd_config\.d/' "$main"; then
    set -- "$@" edit "$main"
    has_include=no
fi
if ! grep -qi '^[[:space:]]*Include[[:space:]].*ssh_config\.d/' "$ssh_main" 2>/dev/null; then
    set -- "$@" edit "$ssh_main"
    ssh_has_include=no
fi
[ ! -e "$new/root-cert.pub" ] || set -- "$@" copy "$ssh_root/id_ed25519-cert.pub"
before_keep root "$@"
if [ "$has_include" = no ]; then
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
if [ "$ssh_has_include" = no ]; then
    { echo 'Include /etc/ssh/ssh_config.d/*.conf' && cat "$ssh_main"; } >"$new/ssh-main" 2>/dev/null
    install_file "$ssh_main" same "$new/ssh-main" && changed=yes && rm -f "$ssh_main.reeve-old"
fi
install_file "$ssh" 644 "$new/ssh.conf" && changed=yes && clear "$ssh.reeve-old"
if [ -e "$new/root-cert.pub" ]; then
    try node mkdir -p -m 700 "$ssh_root"
    install_file "$ssh_root/id_ed25519-cert.pub" 644 "$new/root-cert.pub" && changed=yes
    clear "$ssh_root/id_ed25519-cert.pub.reeve-old"
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
home_read "$user"
set -- "$user"
[ ! -e "$new/mark" ] || set -- "$@" edit "${home:-/root}/.ssh/authorized_keys"
[ ! -e "$new/user-cert.pub" ] || [ "$user" = root ] || set -- "$@" copy "$home/.ssh/id_ed25519-cert.pub"
[ $# -eq 1 ] || before_keep "$@"
if [ -e "$new/mark" ]; then
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
own_take trust
own_take facts
if [ "$changed" = yes ]; then
    say 'same no'
else
    say 'same yes'
fi
end
