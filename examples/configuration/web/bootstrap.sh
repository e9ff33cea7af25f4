#!/bin/sh
# Write the settings of the web server. The arguments are those of configuration.yaml.
set -eu
port=80
if [ "${1:-}" = --port ]; then
    port=$2
fi
mkdir -p /etc/example
echo "listen $port" > /etc/example/web.conf
