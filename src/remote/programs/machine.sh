# shellcheck shell=sh disable=SC2154
# machine: reports the facts of a machine that belongs to no cluster, and what identifies it: its
# serial number, its product UUID, and the addresses of its physical interfaces. Changes nothing on
# the machine. A user who cannot become root sees no serial number.

# root_read FILE: sets $value to the content of a file that root alone may read.
root_read() {
    value=$(tr -d '\000' <"$1" || sudo -n cat "$1" | tr -d '\000')
} 2>/dev/null

# A container shows the serial number of its host, so it reports nothing: the number in the link is
# that of the first PID namespace of a kernel.
identity_say() {
    [ "$(readlink /proc/self/ns/pid)" = 'pid:[4026531836]' ] || return 0
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

begin
{ read -r _ && read -r _ disk _; } <<END || disk=
$(df -P -k /)
END
facts_say "$disk" 0
identity_say
end
