1.000 s (0 decided, last at 0.000 s), 0 lists, 0 other calls, 0 probes
  + /default/Lease/ID/status
    ahead: -999
    clock: "lab"
    session: "life-1"

  + /default/Control/ID/status
    series: {"fbae27432718":[4,1,1]}
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
  + /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 2
    state: "create"
  + /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 3
    state: "create"
  + /default/Cluster/ID/status
    holds: 0
    machines: {"creating":4,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":4}
    observed: 1
  + /default/Job/ID/00000000000000000001/status
    begun: 1760000001000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":4,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":4}]
    machines: {"creating":4,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":4}
    problems: []
    revision: 1
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true
    id: "sim-4"
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true
    id: "sim-3"
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true
    id: "sim-2"
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true
    id: "sim-1"

3.000 s, 1 done, 4 quiet (5 decided, last at 2.500 s), 6 lists, 4 other calls, 0 probes
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
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    active: 2001
    pass: 2
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000001/status
    ended: 1760000003000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}
    state: "done"

61.000 s, 1 done, 2 quiet (2 decided, last at 33.500 s), 2 lists, 0 other calls, 0 probes
=== one
=== the change: taken
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    pass: 3
    rebootBegun: 60001
    rebootBy: "ana"
    rebootNumber: 1
    rebootServed: true
    rebooted: 60001
    starting: true
  ~ /default/Cluster/ID/status
    observed: 6
  + /default/Job/ID/00000000000000000006/status
    begun: 1760000061000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"reboots":1,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"reboots":1,"updated":4,"wanted":4}
    problems: []
    revision: 6
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    rebootBegun: (none)
    rebootServed: (none)
    starting: (none)

  ~ /default/Job/ID/00000000000000000006/status
    ended: 1760000061000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}
    state: "done"

361.000 s, 1 done, 10 quiet (11 decided, last at 331.000 s), 11 lists, 1 other calls, 0 probes
=== all
=== the change: taken
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    pass: 4
    rebootBegun: 360001
    rebootBy: "ana"
    rebootNumber: 2
    rebootServed: true
    rebooted: 360001
    starting: true
  ~ /default/Cluster/ID/status
    observed: 10
  + /default/Job/ID/00000000000000000010/status
    begun: 1760000361000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"reboots":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"reboots":4,"updated":4,"wanted":4}
    problems: []
    revision: 10
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    rebootBegun: (none)
    rebootServed: (none)
    starting: (none)

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    pass: 5
    rebootBegun: 360001
    rebootNumber: 2
    rebootServed: true
    rebooted: 360001
    starting: true
  ~ /default/Job/ID/00000000000000000010/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"reboots":3,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"reboots":3,"updated":4,"wanted":4}

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    rebootBegun: (none)
    rebootServed: (none)
    starting: (none)

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    pass: 6
    rebootBegun: 360001
    rebootBy: "ana"
    rebootNumber: 2
    rebootServed: true
    rebooted: 360001
    starting: true
  ~ /default/Job/ID/00000000000000000010/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"reboots":2,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"reboots":2,"updated":4,"wanted":4}

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    rebootBegun: (none)
    rebootServed: (none)
    starting: (none)

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    pass: 7
    rebootBegun: 360001
    rebootBy: "ana"
    rebootNumber: 2
    rebootServed: true
    rebooted: 360001
    starting: true
  ~ /default/Job/ID/00000000000000000010/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"reboots":1,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"reboots":1,"updated":4,"wanted":4}

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    rebootBegun: (none)
    rebootServed: (none)
    starting: (none)

  ~ /default/Job/ID/00000000000000000010/status
    ended: 1760000361000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}
    state: "done"

363.000 s, 4 done, 1 quiet (5 decided, last at 361.000 s), 6 lists, 4 other calls, 0 probes
  + /default/Hold/ID/paused/web/status
    cluster: "shop"
    fact: "observation continues"
    group: "web"
    pass: 8
    rule: "paused"
    since: 1760000363000
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1

423.000 s, 2 held (2 decided, last at 393.000 s), 2 lists, 0 other calls, 0 probes
  - /default/Hold/ID/paused/web/status
  ~ /default/Cluster/ID/status
    holds: 0

1623.000 s, 40 quiet (40 decided, last at 1593.000 s), 39 lists, 0 other calls, 0 probes
=== one is replaced by request
=== the change: taken
  ~ /default/Control/ID/status
    series: {"fbae27432718":[5,1,1622001]}
  + /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    created: 1622001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760001623000
    pass: 10
    reason: "replace"
    slot: 2
    state: "create"
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    generation: "58c2d4f2b51c301b+replace"
    outdated: true
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":1,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
    observed: 24
  + /default/Job/ID/00000000000000000024/status
    begun: 1760001623000
    by: "ana"
    cluster: "shop"
    groups: [{"batch":1,"canary":0,"creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":4}
    problems: []
    revision: 24
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true
    id: "sim-5"

1625.000 s, 1 done, 4 quiet (5 decided, last at 1624.500 s), 6 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    active: 1624001
    pass: 11
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":1,"ready":5,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000024/status
    groups: [{"batch":1,"canary":0,"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":1,"outdated":1,"ready":5,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":1,"outdated":1,"ready":5,"updated":4,"wanted":4}

1625.500 s, 1 done (1 decided, last at 1625.000 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    condemned: 1624501
    pass: 12
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":1,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000024/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":1,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":1,"old":0,"ready":4,"updated":4,"wanted":4}

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true

  - /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000024/status
    ended: 1760001625500
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}
    state: "done"

2223.000 s, 2 done, 20 quiet (22 decided, last at 2200.500 s), 21 lists, 1 other calls, 0 probes
=== two reboots that are dropped again
=== the change: taken
  + /default/Hold/ID/paused/web/status
    cluster: "shop"
    fact: "observation continues"
    group: "web"
    pass: 14
    rule: "paused"
    since: 1760002223000
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1
    observed: 32
  + /default/Job/ID/00000000000000000032/status
    begun: 1760002223000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"reboots":2,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"reboots":2,"updated":4,"wanted":4}
    problems: []
    revision: 32
    state: "paused"
    waits: ["web:paused"]

=== the change: taken
2283.000 s, 2 held (2 decided, last at 2253.000 s), 3 lists, 0 other calls, 0 probes
  - /default/Hold/ID/paused/web/status
  ~ /default/Cluster/ID/status
    holds: 0
    observed: 34
  ~ /default/Job/ID/00000000000000000032/status
    ended: 1760002283000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}
    state: "done"
    waits: []

=== the end
2583.000 s, 10 quiet (10 decided, last at 2553.000 s), 9 lists, 0 other calls, 0 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 1 at 361000 ''
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 2 at 361000 ''
sim-3 web/2 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 1625500 stopped 0 reboots 1 at 361000 'rolled'
sim-4 web/3 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 1 at 361000 ''
sim-5 web/2 {"resourcePlugin":"sim"} zone '' labels  made 1623000 ended 0 stopped 0 reboots 0 at 0 ''
=== events
cluster.created: actor "ana" groups ["web"] sums {"change":0,"create":4,"destroy":0,"groups":1,"nodes":4,"reboot":0,"replace":0}
machine.wanted: fact "size is 4, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 4, 0 recorded" group "web" node "web-1" pass 1 rule "free_slot" slot 1
machine.wanted: fact "size is 4, 0 recorded" group "web" node "web-2" pass 1 rule "free_slot" slot 2
machine.wanted: fact "size is 4, 0 recorded" group "web" node "web-3" pass 1 rule "free_slot" slot 3
job.began: fact "job/1"
machine.created: group "web" id "sim-4" node "web-3" pass 1 rule "free_slot" slot 3
machine.created: group "web" id "sim-3" node "web-2" pass 1 rule "free_slot" slot 2
machine.created: group "web" id "sim-2" node "web-1" pass 1 rule "free_slot" slot 1
machine.created: group "web" id "sim-1" node "web-0" pass 1 rule "free_slot" slot 0
machine.ready: fact "sim-1 runs" group "web" id "sim-1" node "web-0" pass 2 rule "activate" slot 0
machine.ready: fact "sim-2 runs" group "web" id "sim-2" node "web-1" pass 2 rule "activate" slot 1
machine.ready: fact "sim-3 runs" group "web" id "sim-3" node "web-2" pass 2 rule "activate" slot 2
machine.ready: fact "sim-4 runs" group "web" id "sim-4" node "web-3" pass 2 rule "activate" slot 3
job.done: fact "job/1"
cluster.changed: actor "ana" fact "to be rebooted: web-1" groups ["web"] sums {"change":0,"create":0,"destroy":0,"groups":1,"nodes":4,"reboot":1,"replace":0}
machine.rebooting: fact "reboot, requested by ana" group "web" id "sim-2" node "web-1" pass 3 rule "reboot_asked" slot 1
job.began: fact "job/6"
machine.rebooted: group "web" id "sim-2" node "web-1" pass 3 rule "free_slot" slot 1
job.done: fact "job/6"
cluster.changed: actor "ana" fact "to be rebooted: web-[0-3]" groups ["web"] sums {"change":0,"create":0,"destroy":0,"groups":1,"nodes":4,"reboot":4,"replace":0}
machine.rebooting: fact "reboot, requested by ana" group "web" id "sim-1" node "web-0" pass 4 rule "reboot_asked" slot 0
job.began: fact "job/10"
machine.rebooted: group "web" id "sim-1" node "web-0" pass 4 rule "free_slot" slot 0
machine.rebooting: fact "reboot, requested by ana" group "web" id "sim-2" node "web-1" pass 5 rule "reboot_asked" slot 1
machine.rebooted: group "web" id "sim-2" node "web-1" pass 5 rule "free_slot" slot 1
machine.rebooting: fact "reboot, requested by ana" group "web" id "sim-3" node "web-2" pass 6 rule "reboot_asked" slot 2
machine.rebooted: group "web" id "sim-3" node "web-2" pass 6 rule "free_slot" slot 2
machine.rebooting: fact "reboot, requested by ana" group "web" id "sim-4" node "web-3" pass 7 rule "reboot_asked" slot 3
machine.rebooted: group "web" id "sim-4" node "web-3" pass 7 rule "free_slot" slot 3
job.done: fact "job/10"
cluster.paused: actor "ana"
hold.began: fact "observation continues" group "web" pass 8 rule "paused"
cluster.resumed: actor "ana"
hold.ended: group "web" pass 9 rule "paused"
cluster.changed: actor "ana" fact "to be replaced: web-2" groups ["web"] sums {"change":0,"create":0,"destroy":0,"groups":1,"nodes":4,"reboot":0,"replace":1}
machine.wanted: fact "in place of sim-3" group "web" node "web-2" pass 10 rule "replace" slot 2
job.began: fact "job/24"
machine.created: group "web" id "sim-5" node "web-2" pass 10 rule "replace" slot 2
machine.ready: fact "sim-5 runs" group "web" id "sim-5" node "web-2" pass 11 rule "activate" slot 2
machine.condemned: fact "sim-5 is in service" group "web" id "sim-3" node "web-2" pass 12 rule "rolled" slot 2
machine.destroyed: group "web" id "sim-3" node "web-2" pass 12 rule "rolled" slot 2
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-3" node "web-2" pass 13 rule "forget" slot 2
job.done: fact "job/24"
cluster.paused: actor "ana"
cluster.changed: actor "ana" fact "to be rebooted: web-[0-1]" groups ["web"] sums {"change":0,"create":0,"destroy":0,"groups":1,"nodes":4,"reboot":2,"replace":0}
hold.began: fact "observation continues" group "web" pass 14 rule "paused"
job.began: fact "job/32"
cluster.changed: actor "ana" fact "reboots that have not started are dropped" groups ["web"] sums {"change":0,"create":0,"destroy":0,"groups":1,"nodes":4,"reboot":0,"replace":0}
cluster.resumed: actor "ana"
hold.ended: group "web" pass 15 rule "paused"
job.done: fact "job/32"
