#!/bin/sh
# The agent answers, and it is the one of this node.
serf members -status=alive -name="$(hostname)" 2>/dev/null | grep -q "^$(hostname) " && exit 0
echo "/etc/serf/reeve.json: the agent of $(hostname) does not answer"
exit 1
