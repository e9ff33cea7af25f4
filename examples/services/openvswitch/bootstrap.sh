#!/bin/sh
# A bridge of Open vSwitch with a VXLAN tunnel to each other member of the cluster. Tunnels of members that have gone are removed: their
# facts are no longer here. Arguments: --bridge NAME.
set -eu
bridge=reeve0
while [ $# -gt 0 ]; do
    case $1 in
    --bridge) bridge=$2 && shift 2 ;;
    *)
        echo "error: unknown argument '$1'; use: --bridge NAME" >&2
        exit 2
        ;;
    esac
done

if ! command -v ovs-vsctl >/dev/null; then
    echo "Open vSwitch is not here: installing Debian's"
    apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y openvswitch-switch
fi
if [ -d /run/systemd/system ]; then
    systemctl enable --now openvswitch-switch
fi

me=$(hostname)
members=$(sed -n 's/^[{ ]*"\([^"]*\)":{.*"ip_address":"\([^"]*\)".*/\1 \2/p' /etc/cluster_facts.json)
ovs-vsctl --timeout=30 --may-exist add-br "$bridge"
wanted=
while read -r name address; do
    [ -n "$name" ] && [ "$name" != "$me" ] || continue
    # The name of an interface has at most 15 bytes, so it is that of the address.
    port=vx$(echo "$address" | cksum | cut -d' ' -f1)
    wanted="$wanted $port"
    ovs-vsctl --timeout=30 --may-exist add-port "$bridge" "$port" -- \
        set interface "$port" type=vxlan "options:remote_ip=$address"
done <<MEMBERS
$members
MEMBERS
for port in $(ovs-vsctl --timeout=30 list-ports "$bridge"); do
    case "$port $wanted " in
    *" $port "*) ;;
    vx*) ovs-vsctl --timeout=30 --if-exists del-port "$bridge" "$port" && echo "the tunnel $port has gone" ;;
    esac
done
echo "bridge $bridge has the tunnels:$wanted"
mkdir -p /etc/openvswitch
echo "$bridge" >/etc/openvswitch/reeve-bridge
