1.000 s (0 decided, last at 0.000 s), 0 lists, 0 other calls, 0 probes
  + /default/Lease/ID/status
    ahead: -999
    clock: "lab"
    session: "life-2"

  + /default/Control/ID/status
    series: {"fbae27432718":[3,1,1]}
  + /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "db"
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
    slot: 0
    state: "create"
  + /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
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
    machines: {"creating":3,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":3}
    observed: 1
  + /default/Job/ID/00000000000000000001/status
    begun: 1760000001000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":1,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1},{"creating":2,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":2}]
    machines: {"creating":3,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":3}
    problems: []
    revision: 1
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true
    id: "sim-3"
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true
    id: "sim-2"
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true
    id: "sim-1"

3.000 s, 1 done, 4 quiet (5 decided, last at 2.500 s), 6 lists, 3 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    active: 2001
    pass: 2
    state: "active"
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    active: 2001
    pass: 2
    state: "active"
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    active: 2001
    pass: 2
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000001/status
    ended: 1760000003000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}
    state: "done"

301.000 s, 1 done, 10 quiet (2 decided, last at 273.500 s), 10 lists, 0 other calls, 0 probes
=== half an hour goes by
2101.000 s, 60 quiet (3 decided, last at 2073.500 s), 63 lists, 0 other calls, 0 probes
=== bytes of its plugin wait, and do not any more
2103.500 s (0 decided, last at 2073.500 s), 2 lists, 0 other calls, 0 probes
  + /default/Hold/ID/unpinned/db/status
    cluster: "shop"
    fact: "1 with digest 1234abcd"
    group: "db"
    pass: 3
    rule: "unpinned"
    since: 1760002103500
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1

2223.500 s, 4 held (4 decided, last at 2193.500 s), 4 lists, 0 other calls, 0 probes
  - /default/Hold/ID/unpinned/db/status
  ~ /default/Cluster/ID/status
    holds: 0

2401.000 s, 6 quiet (2 decided, last at 2373.500 s), 5 lists, 0 other calls, 0 probes
=== the listing fails once
2403.500 s (0 decided, last at 2373.500 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    unheard: {"sim":[1,2402501,2402501]}

2449.836 s, 6 unheard (6 decided, last at 2426.324 s), 6 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    unheard: (none)

2732.000 s, 10 quiet (2 decided, last at 2719.836 s), 9 lists, 0 other calls, 0 probes
=== the lease is won again
  ~ /default/Lease/ID/status
    ahead: (none)
    clock: (none)

3032.000 s, 10 quiet (1 decided, last at 3019.836 s), 11 lists, 0 other calls, 0 probes
=== a word is said of db, and of the cluster
3632.000 s, 20 quiet (2 decided, last at 3602.000 s), 20 lists, 0 other calls, 0 probes
=== a machine is rebooted by request, and an hour goes by
=== the change: taken
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    pass: 5
    rebootBegun: 884166
    rebootBy: "ana"
    rebootNumber: 1
    rebootServed: true
    rebooted: 884166
    starting: true
  ~ /default/Cluster/ID/status
    observed: 13
  + /default/Job/ID/00000000000000000013/status
    begun: 1760003632000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"reboots":1,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":3,"reboots":1,"updated":3,"wanted":3}
    problems: []
    revision: 13
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    rebootBegun: (none)
    rebootServed: (none)
    starting: (none)

  ~ /default/Job/ID/00000000000000000013/status
    ended: 1760003632000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}
    state: "done"

7232.000 s, 1 done, 120 quiet (121 decided, last at 7202.000 s), 121 lists, 1 other calls, 0 probes
=== labels change, and an hour goes by
  ~ /default/Cluster/ID/status
    observed: 17
  + /default/Job/ID/00000000000000000017/status
    begun: 1760007232000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}
    problems: []
    revision: 17
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    labels: "9dcc94e6e9d35803"
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    labels: "9dcc94e6e9d35803"

  ~ /default/Job/ID/00000000000000000017/status
    ended: 1760007232000
    state: "done"

10832.000 s, 1 done, 120 quiet (121 decided, last at 10802.000 s), 121 lists, 2 other calls, 0 probes
=== another manager
  ~ /default/Lease/ID/status
    ahead: -9947833
    clock: "lab"
    session: "life-3"

=== the end
11132.000 s, 10 quiet (10 decided, last at 11102.000 s), 10 lists, 0 other calls, 0 probes
=== machines
sim-1 db/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/0 {"resourcePlugin":"sim"} zone '' labels {"labels":{"a":"b"}} made 1000 ended 0 stopped 0 reboots 1 at 3632000 ''
sim-3 web/1 {"resourcePlugin":"sim"} zone '' labels {"labels":{"a":"b"}} made 1000 ended 0 stopped 0 reboots 0 at 0 ''
=== events
cluster.created: actor "ana" groups ["db","web"] sums {"change":0,"create":3,"destroy":0,"groups":2,"nodes":3,"reboot":0,"replace":0}
machine.wanted: fact "size is 1, 0 recorded" group "db" node "db-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 2, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 2, 0 recorded" group "web" node "web-1" pass 1 rule "free_slot" slot 1
job.began: fact "job/1"
machine.created: group "web" id "sim-3" node "web-1" pass 1 rule "free_slot" slot 1
machine.created: group "web" id "sim-2" node "web-0" pass 1 rule "free_slot" slot 0
machine.created: group "db" id "sim-1" node "db-0" pass 1 rule "free_slot" slot 0
machine.ready: fact "sim-1 runs" group "db" id "sim-1" node "db-0" pass 2 rule "activate" slot 0
machine.ready: fact "sim-2 runs" group "web" id "sim-2" node "web-0" pass 2 rule "activate" slot 0
machine.ready: fact "sim-3 runs" group "web" id "sim-3" node "web-1" pass 2 rule "activate" slot 1
job.done: fact "job/1"
hold.began: fact "1 with digest 1234abcd" group "db" pass 3 rule "unpinned"
hold.ended: group "db" pass 4 rule "unpinned"
cluster.changed: actor "ana" fact "to be rebooted: web-0" groups ["web"] sums {"change":0,"create":0,"destroy":0,"groups":1,"nodes":2,"reboot":1,"replace":0}
machine.rebooting: fact "reboot, requested by ana" group "web" id "sim-2" node "web-0" pass 5 rule "reboot_asked" slot 0
job.began: fact "job/13"
machine.rebooted: group "web" id "sim-2" node "web-0" pass 5 rule "free_slot" slot 0
job.done: fact "job/13"
cluster.changed: actor "ana" groups ["web"] sums {"change":2,"create":0,"destroy":0,"groups":1,"nodes":2,"reboot":0,"replace":0}
job.began: fact "job/17"
machine.labelled: group "web" id "sim-3" node "web-1" pass 2 rule "free_slot" slot 1
machine.labelled: group "web" id "sim-2" node "web-0" pass 5 rule "free_slot" slot 0
job.done: fact "job/17"
