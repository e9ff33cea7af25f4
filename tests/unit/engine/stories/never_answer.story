1.000 s (0 decided, last at 0.000 s), 0 lists, 0 other calls, 0 probes
  + /default/Lease/ID/status
    ahead: -999
    clock: "lab"
    session: "life-1"

  + /default/Control/ID/status
    series: {"fbae27432718":[2,1,1]}
  + /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 0
    state: "create"
  + /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 1
    state: "create"
  + /default/Cluster/ID/status
    holds: 0
    machines: {"creating":2,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":2}
    observed: 1
  + /default/Job/ID/00000000000000000001/status
    begun: 1760000001000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":2,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":2}]
    machines: {"creating":2,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":2}
    problems: []
    revision: 1
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true
    id: "sim-2"
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true
    id: "sim-1"

3.000 s, 1 done, 4 quiet (5 decided, last at 2.500 s), 6 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    active: 2001
    address: "sim-1"
    pass: 2
    starting: true
    state: "active"
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    active: 2001
    address: "sim-2"
    pass: 2
    starting: true
    state: "active"

69.800 s, 1 done, 3 quiet (4 decided, last at 63.500 s), 3 lists, 0 other calls, 27 probes
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    cause: "no answer"
    silent: 1760000064700
    unreachable: 63701

  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":1,"wanted":2}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":0,"unreachable":1,"updated":0,"wanted":2}]
    machines: {"creating":1,"leaving":0,"old":0,"ready":0,"unreachable":1,"updated":0,"wanted":2}

71.070 s, 1 quiet (1 decided, last at 69.800 s), 1 lists, 0 other calls, 1 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    cause: "no answer"
    silent: 1760000065970
    unreachable: 64971

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":2,"wanted":2}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":0,"unreachable":2,"updated":0,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":0,"unreachable":2,"updated":0,"wanted":2}

244.700 s, 6 quiet (6 decided, last at 221.070 s), 7 lists, 0 other calls, 68 probes
  + /default/Hold/ID/unreachable/web/status
    cluster: "shop"
    fact: "1 machine"
    group: "web"
    pass: 3
    rule: "unreachable"
    since: 1760000244700
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1
  ~ /default/Job/ID/00000000000000000001/status
    waits: ["web:unreachable"]

245.970 s, 1 held (1 decided, last at 244.700 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Hold/ID/unreachable/web/status
    fact: "2 machines"
    pass: 4

1201.000 s, 32 held (32 decided, last at 1175.970 s), 31 lists, 0 other calls, 374 probes
=== they do
1207.100 s, 1 held (1 decided, last at 1205.970 s), 1 lists, 0 other calls, 3 probes
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    silent: (none)
    starting: (none)
    unreachable: (none)

  ~ /default/Hold/ID/unreachable/web/status
    fact: "1 machine"
    pass: 5
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":1,"unhealthy":0,"unreachable":1,"wanted":2}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":1,"unreachable":1,"updated":1,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":1,"unreachable":1,"updated":1,"wanted":2}

1208.370 s, 1 held (1 decided, last at 1207.100 s), 1 lists, 0 other calls, 1 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    silent: (none)
    starting: (none)
    unreachable: (none)

  - /default/Hold/ID/unreachable/web/status
  ~ /default/Cluster/ID/status
    holds: 0
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":2}
  ~ /default/Job/ID/00000000000000000001/status
    ended: 1760001208370
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}
    state: "done"
    waits: []

=== the end
2401.000 s, 40 quiet (3 decided, last at 2378.370 s), 41 lists, 0 other calls, 467 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
last probe: web-1 at sim-2 port 0, 2 words, within 1000 ms
=== events
cluster.created: actor "ana" groups ["web"] sums {"change":0,"create":2,"destroy":0,"groups":1,"nodes":2,"reboot":0,"replace":0}
machine.wanted: fact "size is 2, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 2, 0 recorded" group "web" node "web-1" pass 1 rule "free_slot" slot 1
job.began: fact "job/1"
machine.created: group "web" id "sim-2" node "web-1" pass 1 rule "free_slot" slot 1
machine.created: group "web" id "sim-1" node "web-0" pass 1 rule "free_slot" slot 0
machine.running: fact "sim-1 runs" group "web" id "sim-1" node "web-0" pass 2 rule "activate" slot 0
machine.running: fact "sim-2 runs" group "web" id "sim-2" node "web-1" pass 2 rule "activate" slot 1
machine.unreachable: fact "no answer" group "web" id "sim-2" node "web-1" pass 2 rule "probe" slot 1
machine.unreachable: fact "no answer" group "web" id "sim-1" node "web-0" pass 2 rule "probe" slot 0
hold.began: fact "1 machine" group "web" pass 3 rule "unreachable"
machine.ready: fact "no answer" group "web" id "sim-2" node "web-1" pass 2 rule "probe" slot 1
machine.ready: fact "no answer" group "web" id "sim-1" node "web-0" pass 2 rule "probe" slot 0
hold.ended: group "web" pass 6 rule "unreachable"
job.done: fact "job/1"
