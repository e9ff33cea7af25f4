1.000 s (0 decided, last at 0.000 s), 0 lists, 0 other calls, 0 probes
  + /default/Lease/ID/status
    ahead: -999
    clock: "lab"
    session: "life-1"

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

61.000 s, 1 done, 2 quiet (2 decided, last at 33.500 s), 2 lists, 0 other calls, 0 probes
=== web becomes front, db has labels
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    group: "front"
    pass: 3
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    group: "front"
    pass: 3
  ~ /default/Cluster/ID/status
    observed: 6
  + /default/Job/ID/00000000000000000006/status
    begun: 1760000061000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"front","leaving":0,"old":0,"ready":0,"updated":0,"wanted":2},{"batch":0,"canary":0,"creating":0,"generations":[],"group":"web","leaving":0,"old":2,"ready":2,"updated":2,"wanted":0}]
    machines: {"creating":0,"leaving":0,"old":2,"ready":3,"updated":3,"wanted":3}
    problems: []
    revision: 6
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    labels: "8bb1ea4915a56101"

  ~ /default/Job/ID/00000000000000000006/status
    ended: 1760000061000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"front","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}
    state: "done"

361.000 s, 1 done, 10 quiet (3 decided, last at 331.000 s), 11 lists, 1 other calls, 0 probes
=== db goes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    condemned: 360001
    pass: 4
    reason: "scale_in"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":2}
    observed: 10
  + /default/Job/ID/00000000000000000010/status
    begun: 1760000361000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":[],"group":"db","leaving":1,"old":0,"ready":0,"updated":0,"wanted":0},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"front","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":1,"old":0,"ready":2,"updated":2,"wanted":2}
    problems: []
    revision: 10
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true

  - /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":2}
  ~ /default/Job/ID/00000000000000000010/status
    ended: 1760000361000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"front","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}
    state: "done"

=== the end
661.000 s, 2 done, 10 quiet (3 decided, last at 636.000 s), 12 lists, 1 other calls, 0 probes
=== machines
sim-1 db/0 {"resourcePlugin":"sim"} zone '' labels {"labels":{"tier":"back"}} made 1000 ended 361000 stopped 0 reboots 0 at 0 'scale_in'
sim-2 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-3 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
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
cluster.changed: actor "ana" groups ["db","front"] sums {"change":1,"create":0,"destroy":0,"groups":2,"nodes":3,"reboot":0,"replace":0}
machine.moved: fact "it was web" group "front" id "sim-2" node "web-0" pass 3 rule "renamed" slot 0
machine.moved: fact "it was web" group "front" id "sim-3" node "web-1" pass 3 rule "renamed" slot 1
job.began: fact "job/6"
machine.labelled: group "db" id "sim-1" node "db-0" pass 2 rule "free_slot" slot 0
job.done: fact "job/6"
cluster.changed: actor "ana" groups ["front","db"] sums {"change":0,"create":0,"destroy":1,"groups":1,"nodes":2,"reboot":0,"replace":0}
machine.condemned: fact "size is 0" group "db" id "sim-1" node "db-0" pass 4 rule "scale_in" slot 0
job.began: fact "job/10"
machine.destroyed: group "db" id "sim-1" node "db-0" pass 4 rule "scale_in" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "db" id "sim-1" node "db-0" pass 5 rule "forget" slot 0
job.done: fact "job/10"
