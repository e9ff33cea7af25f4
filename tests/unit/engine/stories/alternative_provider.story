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
    groups: [{"creating":2,"generations":["58c2d4f2b51c301b","fdc03c18b2410552"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":2}]
    machines: {"creating":2,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":2}
    problems: []
    revision: 1
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true
    id: "sim-1"
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true
    callAfter: 14854
    cause: "capacity"
    fault: "capacity"
    tries: 1

  ~ /default/Control/ID/status
    series: {"fbae27432718":[3,1,1]}
  + /default/Resource/ID/fbae274327180000000371b67fa3cb7d/status
    created: 1
    generation: "fdc03c18b2410552"
    group: "web"
    made: 1760000001000
    pass: 2
    reason: "free_slot"
    slot: 0
    state: "create"
    tries: 1
  - /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status

  ~ /default/Resource/ID/fbae274327180000000371b67fa3cb7d/status
    answered: true
    id: "sim-101"
    tries: (none)

3.000 s, 2 done, 4 quiet (6 decided, last at 2.500 s), 7 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae274327180000000371b67fa3cb7d/status
    active: 2001
    pass: 3
    state: "active"
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    active: 2001
    pass: 3
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":2}
  ~ /default/Job/ID/00000000000000000001/status
    ended: 1760000003000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b","fdc03c18b2410552"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}
    state: "done"

601.000 s, 1 done, 20 quiet (21 decided, last at 573.500 s), 20 lists, 0 other calls, 0 probes
=== the other one is not wanted any more
  ~ /default/Control/ID/status
    series: {"fbae27432718":[4,1,600001]}
  + /default/Resource/ID/fbae2743271800000004a0a82c80c771/status
    created: 600001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000601000
    pass: 4
    reason: "roll"
    slot: 0
    state: "create"
  ~ /default/Resource/ID/fbae274327180000000371b67fa3cb7d/status
    outdated: true
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":1,"ready":2,"unhealthy":0,"unreachable":0,"wanted":2}
    observed: 8
  + /default/Job/ID/00000000000000000008/status
    begun: 1760000601000
    by: "ana"
    cluster: "shop"
    groups: [{"batch":1,"canary":0,"creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":1,"outdated":1,"ready":2,"updated":1,"wanted":2}]
    machines: {"creating":1,"leaving":0,"old":1,"outdated":1,"ready":2,"updated":1,"wanted":2}
    problems: []
    revision: 8
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae2743271800000004a0a82c80c771/status
    answered: true
    id: "sim-2"

603.000 s, 1 done, 4 quiet (5 decided, last at 602.500 s), 6 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000004a0a82c80c771/status
    active: 602001
    pass: 5
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":1,"ready":3,"unhealthy":0,"unreachable":0,"wanted":2}
  ~ /default/Job/ID/00000000000000000008/status
    groups: [{"batch":1,"canary":0,"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":1,"outdated":1,"ready":3,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":1,"outdated":1,"ready":3,"updated":2,"wanted":2}

603.500 s, 1 done (1 decided, last at 603.000 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae274327180000000371b67fa3cb7d/status
    condemned: 602501
    pass: 6
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":1,"ready":2,"unhealthy":0,"unreachable":0,"wanted":2}
  ~ /default/Job/ID/00000000000000000008/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":1,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":1,"old":0,"ready":2,"updated":2,"wanted":2}

  ~ /default/Resource/ID/fbae274327180000000371b67fa3cb7d/status
    answered: true

  - /default/Resource/ID/fbae274327180000000371b67fa3cb7d/status
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":2}
  ~ /default/Job/ID/00000000000000000008/status
    ended: 1760000603500
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}
    state: "done"

=== the end
1801.000 s, 2 done, 40 quiet (4 decided, last at 1778.500 s), 42 lists, 0 other calls, 0 probes
=== machines
sim-1 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/0 {"resourcePlugin":"sim"} zone '' labels  made 601000 ended 0 stopped 0 reboots 0 at 0 ''
=== events
cluster.created: actor "ana" groups ["web"] sums {"change":0,"create":2,"destroy":0,"groups":1,"nodes":2,"reboot":0,"replace":0}
machine.wanted: fact "size is 2, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 2, 0 recorded" group "web" node "web-1" pass 1 rule "free_slot" slot 1
job.began: fact "job/1"
machine.created: group "web" id "sim-1" node "web-1" pass 1 rule "free_slot" slot 1
machine.refused: fact "capacity" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 2, 1 recorded; alternative 1" group "web" node "web-0" pass 2 rule "free_slot" slot 0
machine.gone: fact "there is no capacity, or no quota" group "web" node "web-0" pass 2 rule "refused" slot 0
machine.created: group "web" id "sim-101" node "web-0" pass 2 rule "free_slot" slot 0
machine.ready: fact "sim-101 runs" group "web" id "sim-101" node "web-0" pass 3 rule "activate" slot 0
machine.ready: fact "sim-1 runs" group "web" id "sim-1" node "web-1" pass 3 rule "activate" slot 1
job.done: fact "job/1"
cluster.changed: actor "ana" groups ["web"] sums {"change":0,"create":0,"destroy":0,"groups":1,"nodes":2,"reboot":0,"replace":1}
machine.wanted: fact "fdc03c18b2410552 -> 58c2d4f2b51c301b" group "web" node "web-0" pass 4 rule "roll" slot 0
job.began: fact "job/8"
machine.created: group "web" id "sim-2" node "web-0" pass 4 rule "roll" slot 0
machine.ready: fact "sim-2 runs" group "web" id "sim-2" node "web-0" pass 5 rule "activate" slot 0
machine.condemned: fact "sim-2 is in service" group "web" id "sim-101" node "web-0" pass 6 rule "rolled" slot 0
machine.destroyed: group "web" id "sim-101" node "web-0" pass 6 rule "rolled" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-101" node "web-0" pass 7 rule "forget" slot 0
job.done: fact "job/8"
