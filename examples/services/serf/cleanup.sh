#!/bin/sh
# The agent leaves the others, so that nobody waits for it.
set -eu
serf leave 2>/dev/null || true
if [ -d /run/systemd/system ]; then
    systemctl disable --now reeve-serf 2>/dev/null || true
    rm -f /etc/systemd/system/reeve-serf.service
    systemctl daemon-reload
elif [ -s /run/reeve-serf.pid ]; then
    kill "$(cat /run/reeve-serf.pid)" 2>/dev/null || true
    rm -f /run/reeve-serf.pid
fi
rm -rf /etc/serf/reeve.json /var/lib/serf
