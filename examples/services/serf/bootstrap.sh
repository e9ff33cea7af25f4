#!/bin/sh
# An agent of Serf on each node. All members of the cluster find each other, and each has the tags that reeve and Contiv read.
set -eu
if ! command -v serf >/dev/null; then
    echo "serf is not here: installing Debian's"
    apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y serf
fi

me=$(hostname)
# "name address" of each member, from the facts that reeve put here before this stage: a line each
members=$(sed -n 's/^[{ ]*"\([^"]*\)":{.*"ip_address":"\([^"]*\)".*/\1 \2/p' /etc/cluster_facts.json)
address=$(echo "$members" | sed -n "s/^$me //p")
[ -n "$address" ] || {
    echo "error: the facts have no $me" >&2
    exit 1
}
others=$(echo "$members" | grep -v "^$me " | sed 's/.* \(.*\)/"\1:7946"/' | paste -sd, || true)

mkdir -p /etc/serf /var/lib/serf
cat >/etc/serf/reeve.json.new <<CONFIG
{
  "node_name": "$me",
  "bind": "$address:7946",
  "rpc_addr": "127.0.0.1:7373",
  "retry_join": [$others],
  "rejoin_after_leave": true,
  "snapshot_path": "/var/lib/serf/snapshot",
  "tags": {"NodeLabel": "${me%-*}", "NodeSerial": "${me##*-}", "NodeAddr": "$address"}
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
Description=Serf agent of the cluster
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
    serf members -status=alive -name="$me" 2>/dev/null | grep -q "^$me " && echo "$me is alive" && exit 0
    sleep 0.5
done
echo "error: the agent of $me did not answer within 30 s" >&2
tail -n 20 /var/log/serf.log 2>/dev/null || journalctl -u reeve-serf -n 20 --no-pager
exit 1
