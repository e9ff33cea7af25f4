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
    group: "db"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 0
    state: "create"
  + /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "db"
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
    slot: 0
    state: "create"
  + /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
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
    machines: {"creating":4,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":4}
    observed: 1
  + /default/Job/ID/00000000000000000001/status
    begun: 1760000001000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":2,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":0,"updated":0,"wanted":2},{"creating":2,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":2}]
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
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    active: 2001
    address: "sim-3"
    pass: 2
    starting: true
    state: "active"
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    active: 2001
    address: "sim-4"
    pass: 2
    starting: true
    state: "active"

3.500 s, 1 done, 1 quiet (2 decided, last at 3.500 s), 1 lists, 0 other calls, 1 probes
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    cause: "open"
    starting: (none)

  ~ /default/Cluster/ID/status
    machines: {"creating":3,"failed":0,"leaving":0,"outdated":0,"ready":1,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"creating":1,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":2},{"creating":2,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":2}]
    machines: {"creating":3,"leaving":0,"old":0,"ready":1,"updated":1,"wanted":4}

3.814 s, 1 quiet (1 decided, last at 3.500 s), 1 lists, 0 other calls, 1 probes
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    cause: "open"
    starting: (none)

  ~ /default/Cluster/ID/status
    machines: {"creating":2,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"creating":1,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":2},{"creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":1,"updated":1,"wanted":2}]
    machines: {"creating":2,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":4}

4.566 s, 1 quiet (1 decided, last at 3.814 s), 1 lists, 0 other calls, 1 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    cause: "open"
    starting: (none)

  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"creating":1,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":2},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":1,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":4}

4.770 s, 1 quiet (1 decided, last at 4.566 s), 1 lists, 0 other calls, 1 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    cause: "open"
    starting: (none)

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000001/status
    ended: 1760000004770
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}
    state: "done"

61.000 s, 2 quiet (2 decided, last at 34.770 s), 2 lists, 0 other calls, 44 probes
=== paused, and one of each does not answer
  + /default/Hold/ID/paused/db/status
    cluster: "shop"
    fact: "observation continues"
    group: "db"
    pass: 3
    rule: "paused"
    since: 1760000061000
    wouldCreate: 0
    wouldDestroy: 0
  + /default/Hold/ID/paused/web/status
    cluster: "shop"
    fact: "observation continues"
    group: "web"
    pass: 3
    rule: "paused"
    since: 1760000061000
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 2

70.866 s, 1 held (1 decided, last at 61.000 s), 1 lists, 0 other calls, 7 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    cause: "no answer"
    silent: 1760000065766
    unreachable: 64767

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":1,"wanted":4}

71.070 s, 1 held (1 decided, last at 70.866 s), 1 lists, 0 other calls, 1 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    cause: "no answer"
    silent: 1760000065970
    unreachable: 64971

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":2,"wanted":4}

121.000 s, 2 held (2 decided, last at 101.070 s), 2 lists, 0 other calls, 37 probes
=== db is dropped
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":2,"wanted":2}
    observed: 20
  + /default/Job/ID/00000000000000000020/status
    begun: 1760000121000
    by: "ana"
    cluster: "shop"
    groups: [{"batch":0,"canary":0,"creating":0,"generations":[],"group":"db","leaving":0,"old":2,"ready":1,"unreachable":1,"updated":1,"wanted":0},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":1,"unreachable":1,"updated":1,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":2,"ready":2,"unreachable":2,"updated":2,"wanted":2}
    problems: []
    revision: 20
    state: "paused"
    waits: ["db:paused","web:paused"]

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    cause: "the node is no longer probed"
    silent: (none)
    unreachable: (none)

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":1,"wanted":2}
  ~ /default/Job/ID/00000000000000000020/status
    groups: [{"batch":0,"canary":0,"creating":0,"generations":[],"group":"db","leaving":0,"old":2,"ready":2,"updated":2,"wanted":0},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":1,"unreachable":1,"updated":1,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":2,"ready":3,"unreachable":1,"updated":3,"wanted":2}

241.000 s, 5 held (5 decided, last at 211.000 s), 5 lists, 0 other calls, 48 probes
=== another manager, and resumed
  ~ /default/Lease/ID/status
    session: "life-2"

361.000 s, 5 held (5 decided, last at 337.666 s), 6 lists, 0 other calls, 48 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    condemned: 360001
    pass: 4
    reason: "scale_in"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    condemned: 360001
    pass: 4
    reason: "scale_in"
    state: "delete"
    answered: (none)
  - /default/Hold/ID/paused/db/status
  - /default/Hold/ID/paused/web/status
  ~ /default/Cluster/ID/status
    holds: 0
    machines: {"creating":0,"failed":0,"leaving":2,"outdated":0,"ready":1,"unhealthy":0,"unreachable":1,"wanted":2}
  ~ /default/Job/ID/00000000000000000020/status
    groups: [{"creating":0,"generations":[],"group":"db","leaving":2,"old":0,"ready":0,"updated":0,"wanted":0},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":1,"unreachable":1,"updated":1,"wanted":2}]
    machines: {"creating":0,"leaving":2,"old":0,"ready":1,"unreachable":1,"updated":1,"wanted":2}
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true

  - /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
  - /default/Resource/ID/fbae2743271800000002de820479c4a8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":1,"unhealthy":0,"unreachable":1,"wanted":2}
  ~ /default/Job/ID/00000000000000000020/status
    ended: 1760000361000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":1,"unreachable":1,"updated":1,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":1,"unreachable":1,"updated":1,"wanted":2}
    state: "done"

365.766 s, 2 done (2 decided, last at 361.000 s), 2 lists, 2 other calls, 2 probes
  + /default/Hold/ID/unreachable/web/status
    cluster: "shop"
    fact: "1 machine"
    group: "web"
    pass: 6
    rule: "unreachable"
    since: 1760000365766
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1

=== the end
661.000 s, 10 held (10 decided, last at 635.766 s), 9 lists, 0 other calls, 116 probes
=== machines
sim-1 db/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 361000 stopped 0 reboots 0 at 0 'scale_in'
sim-2 db/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 361000 stopped 0 reboots 0 at 0 'scale_in'
sim-3 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-4 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
last probe: web-0 at sim-3 port 80, 0 words, within 500 ms
=== events
cluster.created: actor "ana" groups ["db","web"] sums {"change":0,"create":4,"destroy":0,"groups":2,"nodes":4,"reboot":0,"replace":0}
machine.wanted: fact "size is 2, 0 recorded" group "db" node "db-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 2, 0 recorded" group "db" node "db-1" pass 1 rule "free_slot" slot 1
machine.wanted: fact "size is 2, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 2, 0 recorded" group "web" node "web-1" pass 1 rule "free_slot" slot 1
job.began: fact "job/1"
machine.created: group "web" id "sim-4" node "web-1" pass 1 rule "free_slot" slot 1
machine.created: group "web" id "sim-3" node "web-0" pass 1 rule "free_slot" slot 0
machine.created: group "db" id "sim-2" node "db-1" pass 1 rule "free_slot" slot 1
machine.created: group "db" id "sim-1" node "db-0" pass 1 rule "free_slot" slot 0
machine.running: fact "sim-1 runs" group "db" id "sim-1" node "db-0" pass 2 rule "activate" slot 0
machine.running: fact "sim-2 runs" group "db" id "sim-2" node "db-1" pass 2 rule "activate" slot 1
machine.running: fact "sim-3 runs" group "web" id "sim-3" node "web-0" pass 2 rule "activate" slot 0
machine.running: fact "sim-4 runs" group "web" id "sim-4" node "web-1" pass 2 rule "activate" slot 1
machine.ready: fact "open" group "db" id "sim-2" node "db-1" pass 2 rule "probe" slot 1
machine.ready: fact "open" group "web" id "sim-4" node "web-1" pass 2 rule "probe" slot 1
machine.ready: fact "open" group "web" id "sim-3" node "web-0" pass 2 rule "probe" slot 0
machine.ready: fact "open" group "db" id "sim-1" node "db-0" pass 2 rule "probe" slot 0
job.done: fact "job/1"
cluster.paused: actor "ana"
hold.began: fact "observation continues" group "db" pass 3 rule "paused"
hold.began: fact "observation continues" group "web" pass 3 rule "paused"
machine.unreachable: fact "no answer" group "web" id "sim-3" node "web-0" pass 2 rule "probe" slot 0
machine.unreachable: fact "no answer" group "db" id "sim-1" node "db-0" pass 2 rule "probe" slot 0
cluster.changed: actor "ana" groups ["db"] sums {"change":0,"create":0,"destroy":2,"groups":0,"nodes":0,"reboot":0,"replace":0}
job.began: fact "job/20"
machine.healthy: fact "the node is no longer probed" group "db" id "sim-1" node "db-0" pass 2 rule "probe" slot 0
cluster.resumed: actor "ana"
machine.condemned: fact "size is 0" group "db" id "sim-1" node "db-0" pass 4 rule "scale_in" slot 0
machine.condemned: fact "size is 0" group "db" id "sim-2" node "db-1" pass 4 rule "scale_in" slot 1
hold.ended: group "db" pass 4 rule "paused"
hold.ended: group "web" pass 4 rule "paused"
machine.destroyed: group "db" id "sim-2" node "db-1" pass 4 rule "scale_in" slot 1
machine.destroyed: group "db" id "sim-1" node "db-0" pass 4 rule "scale_in" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "db" id "sim-1" node "db-0" pass 5 rule "forget" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "db" id "sim-2" node "db-1" pass 5 rule "forget" slot 1
job.done: fact "job/20"
hold.began: fact "1 machine" group "web" pass 6 rule "unreachable"
