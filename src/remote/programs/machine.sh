# shellcheck shell=sh disable=SC2154
# machine: reports the facts of a machine that belongs to no cluster, its hardware, and what
# identifies it: its serial number, its product UUID, and the addresses of its physical interfaces.
# Changes nothing on the machine. A user who cannot become root sees no serial number.

# root_read FILE: sets $value to the content of a file that only root may read.
root_read() {
    value=$(tr -d '\000' <"$1" || sudo -n cat "$1" | tr -d '\000')
} 2>/dev/null

identity_say() {
    for path in /sys/class/dmi/id/product_serial /sys/firmware/devicetree/base/serial-number; do
        if [ -e "$path" ]; then
            root_read "$path"
            say "serial $value"
            break
        fi
    done
    if [ -e /sys/class/dmi/id/product_uuid ]; then
        root_read /sys/class/dmi/id/product_uuid
        say "uuid $value"
    fi
    for path in /sys/class/net/*/device; do
        { [ -e "$path" ] && read -r value <"${path%/device}/address" && say "mac $value"; } 2>/dev/null
    done
}

# Reports the number of disks and their total size in KiB. These do not count: disks that consist of
# other disks (device mapper, RAID), disks in memory or in files, and drives without a medium.
disks_say() {
    disks=0 storage=0
    for path in /sys/block/*; do
        case ${path##*/} in loop* | ram* | zram* | dm-* | md* | sr* | fd* | nbd*) continue ;; esac
        value=
        { read -r value <"$path/size"; } 2>/dev/null # in sectors of 512 bytes
        case $value in '' | 0 | *[!0-9]*) continue ;; esac
        disks=$((disks + 1)) storage=$((storage + value / 2))
    done
    say "disks $disks"
    say "storage $storage"
}

# Reports the number of GPUs and the PCI id of the first one. Only VGA adapters of AMD and NVIDIA
# count, because others usually belong to a management processor.
gpus_say() {
    gpus=0 model=
    for path in /sys/bus/pci/devices/*; do
        class='' vendor='' device=''
        { read -r class <"$path/class" && read -r vendor <"$path/vendor" && read -r device <"$path/device"; } 2>/dev/null
        case $class:$vendor in
        0x0302* | 0x0380* | 0x1200* | 0x0300*:0x1002 | 0x0300*:0x10de)
            gpus=$((gpus + 1))
            model=${model:-${vendor#0x}:${device#0x}}
            ;;
        esac
    done
    say "gpus $gpus"
    [ -z "$model" ] || say "gpu-model $model"
}

firmware_say() {
    if [ -d /sys/firmware/efi ]; then
        say "firmware uefi"
    elif [ -d /sys/class/dmi/id ]; then
        say "firmware bios"
    fi
    vendor='' version=''
    { read -r vendor </sys/class/dmi/id/bios_vendor; } 2>/dev/null
    { read -r version </sys/class/dmi/id/bios_version; } 2>/dev/null
    [ -z "$vendor$version" ] || say "firmware-version $vendor $version"
}

begin
{ read -r _ && read -r _ disk _; } <<END || disk=
$(df -P -k /)
END
facts_say "$disk" 0
# A container shows the hardware and the serial number of its host, so it must report neither. The
# link has this number only in the first PID namespace of a kernel, which means outside a container.
if [ "$(readlink /proc/self/ns/pid)" = 'pid:[4026531836]' ]; then
    disks_say
    gpus_say
    firmware_say
    identity_say
fi
end
