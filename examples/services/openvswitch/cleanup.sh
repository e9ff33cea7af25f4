#!/bin/sh
# The bridge goes with its tunnels.
set -eu
if bridge=$(cat /etc/openvswitch/reeve-bridge 2>/dev/null); then
    ovs-vsctl --timeout=30 --if-exists del-br "$bridge"
    rm -f /etc/openvswitch/reeve-bridge
fi
