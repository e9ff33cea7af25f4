#!/bin/sh
# Docker of Debian, with bounded logs. Containers continue while the daemon is restarted.
set -eu
if ! command -v dockerd >/dev/null; then
    echo "docker is not here: installing Debian's"
    apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y docker.io
fi

mkdir -p /etc/docker
cat >/etc/docker/daemon.json.new <<CONFIG
{
  "live-restore": true,
  "log-driver": "json-file",
  "log-opts": {"max-size": "50m", "max-file": "3"}
}
CONFIG
if cmp -s /etc/docker/daemon.json.new /etc/docker/daemon.json && docker info >/dev/null 2>&1; then
    rm /etc/docker/daemon.json.new
    echo "docker runs already"
    exit 0
fi
mv /etc/docker/daemon.json.new /etc/docker/daemon.json

if [ -d /run/systemd/system ]; then
    systemctl enable docker
    systemctl restart docker
else
    # A container without a service manager.
    setsid dockerd >>/var/log/dockerd.log 2>&1 </dev/null &
fi
for _ in $(seq 120); do
    docker info >/dev/null 2>&1 && echo "docker answers" && exit 0
    sleep 0.5
done
echo "error: docker did not answer within a minute" >&2
tail -n 20 /var/log/dockerd.log 2>/dev/null || journalctl -u docker -n 20 --no-pager
exit 1
