# The part of the first-start script that is the same for every machine. first_start.c writes the
# variables token, host_name, user, guest_attribute and the functions keys, volumes and init before
# it. It may be killed anywhere and run again. REEVE_ROOT is for tests.
set -u
umask 022
root=${REEVE_ROOT-}
state=$root/var/lib/reeve
mkdir -p "$state"
[ ! -e "$state/first-start-$token" ] || exit 0
problem=0

say() {
    printf '%s\n' "$*"
    printf '\n%s\n' "$*" 2>/dev/null >>"$root/dev/console" || true
}
failed() {
    say "reeve: first start: $*"
    problem=1
}

# Replace a file by the input, as a whole, with this mode.
replace() {
    cat >"$1.reeve-new" && chmod "$2" "$1.reeve-new" && mv -f "$1.reeve-new" "$1"
}

set_host_name() {
    [ -n "$host_name" ] || return 0
    printf '%s\n' "$host_name" | replace "$root/etc/hostname" 0644
    hostname "$host_name" || failed "the host name cannot be set"
    if [ -d "$root/etc/cloud/cloud.cfg.d" ]; then
        echo 'preserve_hostname: true' | replace "$root/etc/cloud/cloud.cfg.d/99-reeve.cfg" 0644
    fi
    grep -q "[[:space:]]$host_name\$" "$root/etc/hosts" 2>/dev/null ||
        echo "127.0.1.1 $host_name" >>"$root/etc/hosts"
}

add_user() {
    id -u "$user" >/dev/null 2>&1 || useradd -m -s /bin/bash "$user" ||
        { failed "the user $user cannot be created"; return; }
    [ "$user" != root ] || return 0
    mkdir -p "$root/etc/sudoers.d"
    # sudo does not read files with a dot in their name
    echo "$user ALL=(ALL) NOPASSWD:ALL" | replace "$root/etc/sudoers.d/90-reeve.check" 0440
    if visudo -cqf "$root/etc/sudoers.d/90-reeve.check"; then
        mv -f "$root/etc/sudoers.d/90-reeve.check" "$root/etc/sudoers.d/90-reeve"
    else
        rm -f "$root/etc/sudoers.d/90-reeve.check"
        failed "visudo rejects the rule for the user $user"
    fi
}

add_keys() {
    [ -n "$(keys)" ] || return 0
    home=$root$(getent passwd "$user" | cut -d: -f6)
    [ "$home" != "$root" ] || { failed "the user $user has no home folder"; return; }
    file=$home/.ssh/authorized_keys
    mkdir -p "$home/.ssh"
    chmod 0700 "$home/.ssh"
    {
        [ ! -e "$file" ] || awk '/^# reeve begin first-start/ { skip = 1 }
            !skip { print } /^# reeve end first-start/ { skip = 0 }' "$file"
        echo '# reeve begin first-start: these lines are of the machine'"'"'s create request'
        keys
        echo '# reeve end first-start'
    } | replace "$file" 0600
    chown -R "$user:" "$home/.ssh" || failed "the keys cannot be given to the user $user"
}

# volume DEVICE MOUNT: make a file system only where there is nothing at all, and mount it.
volume() {
    tries=0
    while [ ! -e "$1" ] && [ $tries -lt 120 ]; do
        tries=$((tries + 1))
        sleep 1
    done
    # blkid answers 2 for an empty disk, and for one that cannot be read
    dd if="$1" of=/dev/null bs=4096 count=1 2>/dev/null || { failed "the disk $1 is missing"; return; }
    blkid -p "$1" >/dev/null 2>&1
    case $? in
    0) ;;
    2) mkfs.ext4 -q -F "$1" || { failed "the disk $1 cannot be formatted"; return; } ;;
    *) failed "the disk $1 has contents that are not known: it is left alone"; return ;;
    esac
    [ -n "$2" ] || return 0
    uuid=$(blkid -p -s UUID -o value "$1")
    [ -n "$uuid" ] || { failed "the disk $1 has no file system"; return; }
    mkdir -p "$root$2"
    grep -q "^UUID=$uuid " "$root/etc/fstab" 2>/dev/null ||
        echo "UUID=$uuid $2 auto defaults,nofail 0 2" >>"$root/etc/fstab"
    mountpoint -q "$root$2" || mount "$root$2" || failed "the disk $1 cannot be mounted at $2"
}

show_host_key() {
    file=$root/etc/ssh/ssh_host_ed25519_key
    [ -e "$file.pub" ] || ssh-keygen -q -t ed25519 -N '' -f "$file" </dev/null
    key=$(cut -d' ' -f1,2 "$file.pub")
    say "reeve-hostkey $token $key"
    [ -z "$guest_attribute" ] || curl -sf -m 20 --retry 3 -X PUT -H 'Metadata-Flavor: Google' \
        --data "reeve-hostkey $token $key" "$guest_attribute" || failed "the guest attribute cannot be written"
}

[ -n "$user" ] || user=root
set_host_name
add_user
add_keys
volumes
show_host_key
init | replace "$state/init-$token" 0700
if [ -s "$state/init-$token" ]; then
    "$state/init-$token"
    code=$?
    [ $code -eq 0 ] || problem=$code
fi
rm -f "$state/init-$token"
: >"$state/first-start-$token"
say "reeve-first-start $token $problem"
exit $problem
