# shellcheck shell=bash
# Functions that make the root file system of an image of Debian. tools/cloud-image and tools/netboot-image include this file after tools/lib.sh.

# image_root_make ROOT SUITE PACKAGES LOG: a small system of Debian with these packages beside the usual ones, which starts by itself.
image_root_make() {
    local root=$1 suite=$2 packages=$3 log=$4
    debootstrap --variant=minbase --include="$packages" "$suite" "$root" >"$log" 2>&1 </dev/null || return 1
    # All interfaces use DHCP, and the client id is the address of the interface, as that of the netboot system.
    cat >"$root/etc/systemd/network/20-dhcp.network" <<'END'
[Match]
Name=e*
[Network]
DHCP=ipv4
[DHCPv4]
ClientIdentifier=mac
END
    ln -sf /lib/systemd/system/systemd-networkd.service "$root/etc/systemd/system/multi-user.target.wants/systemd-networkd.service"
    local unit
    for unit in apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer fstrim.timer systemd-networkd-wait-online.service; do
        ln -sf /dev/null "$root/etc/systemd/system/$unit"
    done
    # Each machine makes its own.
    rm -f "$root"/etc/ssh/ssh_host_* "$root/var/lib/dbus/machine-id"
    : >"$root/etc/machine-id"
    rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/usr/share/{doc,man,locale}/*
}
