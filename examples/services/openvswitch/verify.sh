#!/bin/sh
# The bridge is there.
bridge=$(cat /etc/openvswitch/reeve-bridge 2>/dev/null) && ovs-vsctl --timeout=10 br-exists "$bridge" && exit 0
echo "/etc/openvswitch/reeve-bridge: there is no bridge '${bridge:-}'"
exit 1
