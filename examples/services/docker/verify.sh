#!/bin/sh
# The daemon answers.
docker info >/dev/null 2>&1 && exit 0
echo "/etc/docker/daemon.json: docker does not answer"
exit 1
