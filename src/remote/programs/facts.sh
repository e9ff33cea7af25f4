# shellcheck shell=sh disable=SC2154
# Functions of the programs that report facts of a machine: look and machine. They change nothing.

# cpus_count LIST: counts the CPUs of a list such as 0-3,8.
cpus_count() {
    cpus=0 list=$1,
    while [ -n "$list" ]; do
        range=${list%%,*} list=${list#*,}
        cpus=$((cpus + ${range#*-} - ${range%-*} + 1))
    done
}

# proc_read FILE WORD: sets $value to the second word of the line that begins with WORD.
proc_read() {
    value=
    while read -r word value _; do
        [ "$word" != "$2" ] || return 0
    done <"$1"
    value=
}

# facts_say DISK NETWORKS: reports the facts of this machine. DISK is the size of its root file
# system in KiB, NETWORKS the maximum number of networks to report. The reported address is the one
# to which the manager has connected.
facts_say() {
    disk=$1 networks=$2
    { read -r name </proc/sys/kernel/hostname; } 2>/dev/null || name=$(hostname)
    say "hostname $name"
    # shellcheck disable=SC2086
    set -- $connection
    address=${3:-}
    say "address ${address#::ffff:}"
    ip -o addr show 2>/dev/null | {
        i=0
        while [ "$i" -lt "$networks" ] && read -r _ _ _ network _; do
            say "network $network"
            i=$((i + 1))
        done
    }
    { read -r release </proc/sys/kernel/osrelease; } 2>/dev/null || release=$(uname -r)
    say "kernel $release"
    { read -r machine </proc/sys/kernel/arch; } 2>/dev/null || machine=$(uname -m) # since Linux 6.1
    say "architecture $machine"
    # shellcheck source=/dev/null
    say "os $(. /etc/os-release 2>/dev/null && echo "${ID:-} ${VERSION_ID:-}")"
    proc_read /proc/self/status Cpus_allowed_list:
    case $value in
    '' | *[!0-9,-]*) cpus=$(nproc) ;;
    *) cpus_count "$value" ;;
    esac
    say "cpus $cpus"
    proc_read /proc/meminfo MemTotal:
    say "memory $value"
    say "disk $disk"
    boot=
    read -r boot </proc/sys/kernel/random/boot_id
    say "boot $boot"
}
