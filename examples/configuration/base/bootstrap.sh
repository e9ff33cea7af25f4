#!/bin/sh
# Write what every node has.
set -eu
mkdir -p /etc/example
cp motd /etc/example/motd
