# shellcheck shell=sh
# facts: what this node is, as it says itself. The address is the one that it was reached at.
begin
say "hostname $(hostname)"
# shellcheck disable=SC2086
set -- ${SSH_CONNECTION:-}
address=${3:-}
say "address ${address#::ffff:}"
ip -o addr show 2>/dev/null | awk '{ print "network", $4 }' | head -n 64
say "kernel $(uname -r)"
say "architecture $(uname -m)"
# shellcheck source=/dev/null
say "os $(. /etc/os-release 2>/dev/null && echo "${ID:-} ${VERSION_ID:-}")"
say "cpus $(nproc)"
say "memory $(awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo)"
say "disk $(df -P -k / | awk 'NR == 2 { print $2 }')"
say "boot $(cat /proc/sys/kernel/random/boot_id)"
end
