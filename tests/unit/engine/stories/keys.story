1.000 s (0 decided, last at 0.000 s), 0 lists, 0 other calls, 0 probes
=== keys are being made
  + /default/Lease/ID/status
    ahead: -999
    clock: "lab"
    session: "life-2"

  + /default/Control/ID/status
    unheard: {"aws":[1,1,1]}
  + /default/Hold/ID/unlisted/status
    cluster: "shop"
    fact: "aws: only sim is here"
    pass: 1
    rule: "unlisted"
    since: 1760000001000
    wouldCreate: 0
    wouldDestroy: 0
  + /default/Cluster/ID/status
    holds: 1
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":2}
    observed: 1
  + /default/Job/ID/00000000000000000001/status
    begun: 1760000001000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["be278337af7648b5"],"group":"db","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1},{"creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1}]
    machines: {"creating":1,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":2}
    problems: []
    revision: 1
    state: "running"
    waits: ["unlisted"]

121.000 s, 24 done (24 decided, last at 116.000 s), 24 lists, 0 other calls, 0 probes
=== they are there
  ~ /default/Control/ID/status
    series: {"fbae27432718":[1,120001,120001]}
  + /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    created: 120001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000121000
    pass: 2
    reason: "free_slot"
    slot: 0
    state: "create"
  ~ /default/Cluster/ID/status
    ssh: "cert-authority ssh-ed25519 AAAA"

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true
    id: "sim-1"

123.000 s, 1 done, 4 held (5 decided, last at 122.500 s), 6 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    active: 122001
    pass: 3
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":1,"unhealthy":0,"unreachable":0,"wanted":2}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"creating":0,"generations":["be278337af7648b5"],"group":"db","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":1,"updated":1,"wanted":2}
    state: "waiting"

1321.000 s, 1 done, 40 held (41 decided, last at 1293.500 s), 41 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    series: {"fbae27432718":[2,120001,1320001]}
  + /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    created: 1320001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760001321000
    pass: 4
    reason: "free_slot"
    slot: 1
    state: "create"
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":1,"unhealthy":0,"unreachable":0,"wanted":3}
    observed: 7
  ~ /default/Job/ID/00000000000000000001/status
    ended: 1760001321000
    state: "superseded"
    supersededBy: "job/7"
  + /default/Job/ID/00000000000000000007/status
    begun: 1760001321000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["be278337af7648b5"],"group":"db","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1},{"creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":1,"updated":1,"wanted":2}]
    machines: {"creating":1,"leaving":0,"old":0,"ready":1,"updated":1,"wanted":3}
    problems: []
    revision: 7
    state: "running"
    waits: ["unlisted"]

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true
    id: "sim-2"

1323.000 s, 1 done, 4 held (5 decided, last at 1322.500 s), 5 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    active: 1322001
    pass: 5
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000007/status
    groups: [{"creating":0,"generations":["be278337af7648b5"],"group":"db","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":3}
    state: "waiting"

=== the end
1441.000 s, 1 done, 4 held (5 decided, last at 1413.500 s), 4 lists, 0 other calls, 0 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 121000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1321000 ended 0 stopped 0 reboots 0 at 0 ''
=== events
cluster.created: actor "ana" groups ["db","web"] sums {"change":0,"create":2,"destroy":0,"groups":2,"nodes":2,"reboot":0,"replace":0}
hold.began: fact "aws: only sim is here" pass 1 rule "unlisted"
job.began: fact "job/1"
machine.wanted: fact "size is 1, 0 recorded" group "web" node "web-0" pass 2 rule "free_slot" slot 0
machine.created: group "web" id "sim-1" node "web-0" pass 2 rule "free_slot" slot 0
machine.ready: fact "sim-1 runs" group "web" id "sim-1" node "web-0" pass 3 rule "activate" slot 0
cluster.changed: actor "ana" groups ["web"] sums {"change":0,"create":1,"destroy":0,"groups":1,"nodes":2,"reboot":0,"replace":0}
machine.wanted: fact "size is 2, 1 recorded" group "web" node "web-1" pass 4 rule "free_slot" slot 1
job.began: fact "job/7"
machine.created: group "web" id "sim-2" node "web-1" pass 4 rule "free_slot" slot 1
machine.ready: fact "sim-2 runs" group "web" id "sim-2" node "web-1" pass 5 rule "activate" slot 1
