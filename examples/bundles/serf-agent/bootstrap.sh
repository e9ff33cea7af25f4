#!/bin/bash
# An agent of Serf on a bare machine, so that reeve discovers it: reeve discover ADDRESS... --setup examples/bundles/serf-agent -- AGENT...
# AGENT is the address of an agent that runs already, for example that of the manager. Once the machine is a member of a cluster, the
# bundle examples/services/serf takes over its configuration.
set -eu
[ $# -gt 0 ] || {
    echo "error: name the address of an agent that runs already" >&2
    exit 2
}
if ! command -v serf >/dev/null; then
    echo "serf is not here: installing Debian's"
    apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y serf
fi

address=${REEVE_ADDRESS:-$(hostname -I | cut -d' ' -f1)}
label=$(hostname -s)
serial=$(cat /sys/class/dmi/id/product_serial 2>/dev/null | tr -cd 'A-Za-z0-9' || true)
key=$(ssh-keygen -l -f /etc/ssh/ssh_host_ed25519_key.pub 2>/dev/null | cut -d' ' -f2 || true)
others=$(printf '"%s"\n' "$@" | paste -sd,)

mkdir -p /etc/serf /var/lib/serf
cat >/etc/serf/reeve.json.new <<CONFIG
{
  "node_name": "$label",
  "bind": "$address:7946",
  "rpc_addr": "127.0.0.1:7373",
  "retry_join": [$others],
  "rejoin_after_leave": true,
  "snapshot_path": "/var/lib/serf/snapshot",
  "tags": {"NodeLabel": "$label", "NodeSerial": "${serial:-0}", "NodeAddr": "$address", "NodeHostKey": "$key"}
}
CONFIG
if cmp -s /etc/serf/reeve.json.new /etc/serf/reeve.json && serf info >/dev/null 2>&1; then
    rm /etc/serf/reeve.json.new
    echo "the agent runs already"
    exit 0
fi
mv /etc/serf/reeve.json.new /etc/serf/reeve.json

if [ -d /run/systemd/system ]; then
    cat >/etc/systemd/system/reeve-serf.service <<UNIT
[Unit]
Description=Serf agent, for the discovery of this machine
After=network-online.target
Wants=network-online.target

[Service]
ExecStart=$(command -v serf) agent -config-file=/etc/serf/reeve.json
Restart=always

[Install]
WantedBy=multi-user.target
UNIT
    systemctl daemon-reload
    systemctl enable reeve-serf
    systemctl restart reeve-serf
else
    # A container without a service manager.
    if [ -s /run/reeve-serf.pid ]; then
        kill "$(cat /run/reeve-serf.pid)" 2>/dev/null && sleep 1 || true
    fi
    setsid serf agent -config-file=/etc/serf/reeve.json >>/var/log/serf.log 2>&1 </dev/null &
    echo $! >/run/reeve-serf.pid
fi

for _ in $(seq 60); do
    serf members -status=alive -name="$label" 2>/dev/null | grep -q "^$label " && echo "the agent $label is alive" && exit 0
    sleep 0.5
done
echo "error: the agent of $label did not answer within 30 s" >&2
exit 1
