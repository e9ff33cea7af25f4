# One member of an etcd cluster: every node whose name begins with the first argument. It finds by itself whether the cluster is to be
# begun or joined, and takes the place of a member that was replaced. Peers and clients speak plain HTTP: for a network of members alone.
set -eu
prefix=${1:-etcd-}
me=$(hostname)
data=/var/lib/etcd/reeve
export ETCDCTL_API=3

if ! command -v etcd >/dev/null || ! command -v etcdctl >/dev/null; then
    echo "etcd is not here: installing Debian's"
    apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y etcd-server etcd-client
fi

# "name address" of each member, from the facts that reeve put here before this stage: a line each
members=$(sed -n 's/^[{ ]*"\([^"]*\)":{.*"ip_address":"\([^"]*\)".*/\1 \2/p' /etc/cluster_facts.json | grep "^$prefix" || true)
address=$(echo "$members" | sed -n "s/^$me //p")
[ -n "$address" ] || {
    echo "error: the facts have no $me among the nodes that begin with $prefix" >&2
    exit 1
}
peer=http://$address:2380
client=http://$address:2379
everybody=$(echo "$members" | sed 's#\(.*\) \(.*\)#\1=http://\2:2380#' | paste -sd,)
others=$(echo "$members" | grep -v "^$me " | sed 's#.* \(.*\)#http://\1:2379#' | paste -sd, || true)

asked() { # of the members that are there
    timeout 20 etcdctl --endpoints="$others" --dial-timeout=2s --command-timeout=5s "$@"
}

is_well() {
    etcdctl --endpoints="$client" --command-timeout=3s endpoint health >/dev/null 2>&1
}

listed() { # the members, as the others know them. Whoever answers, but has no leader at the moment, is asked again.
    for _ in 1 2 3; do
        asked member list 2>/dev/null && return
        [ -n "$(asked endpoint status 2>/dev/null)" ] || return
        sleep 1
    done
    return 1
}

forget_before() { # the member that was here before goes, and an attempt at joining of which no answer came
    rows=$(listed) || return
    for number in $(echo "$rows" | grep -e ", $me, " -e ", $peer, " | cut -d, -f1); do
        echo "member $number was here before, and goes"
        asked member remove "$number" 2>&1 || return
    done
}

# A running cluster has a row for this node where it was begun with it, or where somebody of this name was here before. Only a
# member that never spoke to clients may come as new: any other has lost its data, and joins afresh under a new number.
state=new
added=
initial=$everybody
if [ ! -d "$data/member" ] && [ -n "$others" ] && rows=$(listed); then
    row=$(echo "$rows" | grep -e ", $me, " -e ", $peer, " || true)
    if ! echo "$row" | grep -q ", started, $me, $peer, ,"; then
        state=existing
        # refused while another one is on its way in, and unanswered while a leader that is gone has no successor
        for _ in $(seq 60); do
            forget_before && added=$(asked member add "$me" --peer-urls="$peer" 2>&1) && break
            echo "not yet: ${added:-no answer}"
            added=
            sleep 2
        done
        [ -n "$added" ] || {
            echo "error: the cluster lets no member in" >&2
            exit 1
        }
        initial=$(echo "$added" | sed -n 's/^ETCD_INITIAL_CLUSTER="\(.*\)"$/\1/p')
    fi
fi
echo "$me comes as $state, with $initial"

set -- --name "$me" --data-dir "$data" --initial-cluster-token "$prefix" --initial-cluster "$initial" \
    --initial-cluster-state "$state" --initial-advertise-peer-urls "$peer" --listen-peer-urls "$peer" \
    --advertise-client-urls "$client" --listen-client-urls "$client,http://127.0.0.1:2379"
if is_well; then
    echo "it runs already"
elif [ -d /run/systemd/system ]; then
    mkdir -p /etc/systemd/system/etcd.service.d
    printf '[Service]\nUser=etcd\nExecStart=\nExecStart=/usr/bin/etcd %s\n' "$*" >/etc/systemd/system/etcd.service.d/reeve.conf
    install -d -o etcd -g etcd -m 0700 "$data"
    systemctl daemon-reload
    systemctl enable etcd
    systemctl restart etcd
else
    # A container without a service manager: whoever restarts it runs no etcd. The probe of examples/etcd.yaml sees that.
    install -d -m 0700 "$data"
    setsid etcd "$@" >>/var/log/etcd.log 2>&1 </dev/null &
fi

for _ in $(seq 120); do
    is_well && echo "$me is a healthy member" && exit 0
    sleep 1
done
echo "error: $me did not become healthy in two minutes" >&2
tail -n 20 /var/log/etcd.log 2>/dev/null || journalctl -u etcd -n 20 --no-pager
exit 1
