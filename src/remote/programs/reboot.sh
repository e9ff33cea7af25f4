# shellcheck shell=sh disable=SC2154
# reboot BOOT|-: reports the boot of this machine and the age of its first process in seconds.
# Reboots if the boot is BOOT. Containers share the boot id of their host, so the start time of the
# first process is part of the value. A request that is sent twice causes only one reboot, because a
# mark records that a reboot has begun. The mark expires after two minutes without a reboot.
wanted=$1 mark=/run/reeve-reboot

# boot_read: sets $boot, and $age in seconds.
boot_read() {
    read -r id </proc/sys/kernel/random/boot_id && read -r uptime _ </proc/uptime && read -r stat </proc/1/stat || return 1
    # shellcheck disable=SC2086
    set -- ${stat##*) }
    shift 19 # field 22 of the line: start time in ticks
    boot=$id:$1 age=$((${uptime%%.*} - $1 / $(getconf CLK_TCK 2>/dev/null || echo 100)))
    [ "$age" -ge 0 ] || age=0
}

is_begun() {
    { read -r begun when <"$mark"; } 2>/dev/null && [ "$begun" = "$boot" ] && [ "$(($(date +%s) - when))" -lt 120 ]
}

begin
boot_read 2>/dev/null || fail node 'the boot id cannot be read from /proc'
if [ "$wanted" = "$boot" ] && ! is_begun; then
    if [ -d /run/systemd/system ]; then
        how='systemctl reboot'
    elif command -v reboot >/dev/null; then
        how=reboot
    elif command -v shutdown >/dev/null; then
        how='shutdown -r now'
    else
        fail node 'the node has no systemctl, reboot or shutdown'
    fi
    { echo "$boot $(date +%s)" >"$mark"; } 2>/dev/null || fail node "'$mark' cannot be written"
    # Reboots after this answer was sent. A new session is needed, because sudo kills the processes
    # that it has started.
    setsid sh -c "sleep 1; exec $how" </dev/null >/dev/null 2>&1 &
fi
say "boot $boot $age"
end
