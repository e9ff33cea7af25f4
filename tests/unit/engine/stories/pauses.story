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
    group: "mq"
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
    slot: 0
    state: "create"
  + /default/Cluster/ID/status
    holds: 0
    machines: {"creating":3,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":3}
    observed: 1
  + /default/Job/ID/00000000000000000001/status
    begun: 1760000001000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":1,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1},{"creating":1,"generations":["58c2d4f2b51c301b"],"group":"mq","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1},{"creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1}]
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
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"mq","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}
    state: "done"

61.000 s, 1 done, 2 quiet (2 decided, last at 33.500 s), 2 lists, 0 other calls, 0 probes
=== web is paused for 5 minutes, mq without end
  ~ /default/Control/ID/status
    series: {"fbae27432718":[4,1,60001]}
  + /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    created: 60001
    generation: "58c2d4f2b51c301b"
    group: "db"
    made: 1760000061000
    pass: 3
    reason: "free_slot"
    slot: 1
    state: "create"
  + /default/Hold/ID/paused/mq/status
    cluster: "shop"
    fact: "observation continues"
    group: "mq"
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
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":6}
    observed: 8
  + /default/Job/ID/00000000000000000008/status
    begun: 1760000061000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":1,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":2},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"mq","leaving":0,"old":0,"ready":1,"updated":1,"wanted":2},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":1,"updated":1,"wanted":2}]
    machines: {"creating":1,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":6}
    problems: []
    revision: 8
    state: "running"
    waits: ["mq:paused","web:paused"]

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true
    id: "sim-4"

63.000 s, 1 done, 4 held (5 decided, last at 62.500 s), 6 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    active: 62001
    pass: 4
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":6}
  ~ /default/Job/ID/00000000000000000008/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"mq","leaving":0,"old":0,"ready":1,"updated":1,"wanted":2},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":1,"updated":1,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":6}
    state: "paused"

181.000 s, 1 done, 4 held (5 decided, last at 153.500 s), 4 lists, 0 other calls, 0 probes
=== all are for 10 minutes, the manager dies, and its wall clock jumps
  + /default/Hold/ID/paused/db/status
    cluster: "shop"
    fact: "observation continues"
    group: "db"
    pass: 5
    rule: "paused"
    since: 1760000181000
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 3
  ~ /default/Job/ID/00000000000000000008/status
    waits: ["db:paused","mq:paused","web:paused"]

241.000 s, 2 held (2 decided, last at 211.000 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Lease/ID/status
    session: "life-2"

1141.000 s, 30 held (30 decided, last at 1111.000 s), 30 lists, 0 other calls, 0 probes
=== a word that nobody can read, and mq goes on
  ~ /default/Control/ID/status
    series: {"2c80c771e46a":[1,1140001,1140001],"fbae27432718":[4,1,60001]}
  + /default/Resource/ID/2c80c771e46a00000001d526b3fb02f2/status
    created: 1140001
    generation: "58c2d4f2b51c301b"
    group: "mq"
    made: 1759997541000
    pass: 6
    reason: "free_slot"
    slot: 1
    state: "create"
  - /default/Hold/ID/paused/db/status
  - /default/Hold/ID/paused/mq/status
  ~ /default/Cluster/ID/status
    holds: 1
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":6}
  ~ /default/Job/ID/00000000000000000008/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2},{"creating":1,"generations":["58c2d4f2b51c301b"],"group":"mq","leaving":0,"old":0,"ready":1,"updated":1,"wanted":2},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":1,"updated":1,"wanted":2}]
    machines: {"creating":1,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":6}
    state: "running"
    waits: ["web:paused"]

  ~ /default/Resource/ID/2c80c771e46a00000001d526b3fb02f2/status
    answered: true
    id: "sim-5"

1143.000 s, 1 done, 4 held (5 decided, last at 1142.500 s), 6 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/2c80c771e46a00000001d526b3fb02f2/status
    active: 1142001
    pass: 7
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":5,"unhealthy":0,"unreachable":0,"wanted":6}
  ~ /default/Job/ID/00000000000000000008/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"mq","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":1,"updated":1,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":5,"updated":5,"wanted":6}
    state: "paused"

=== the end
1441.000 s, 1 done, 10 held (11 decided, last at 1413.500 s), 10 lists, 0 other calls, 0 probes
=== machines
sim-1 db/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 mq/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-3 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-4 db/1 {"resourcePlugin":"sim"} zone '' labels  made 61000 ended 0 stopped 0 reboots 0 at 0 ''
sim-5 mq/1 {"resourcePlugin":"sim"} zone '' labels  made 1141000 ended 0 stopped 0 reboots 0 at 0 ''
=== events
cluster.created: actor "ana" groups ["db","mq","web"] sums {"change":0,"create":3,"destroy":0,"groups":3,"nodes":3,"reboot":0,"replace":0}
machine.wanted: fact "size is 1, 0 recorded" group "db" node "db-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 1, 0 recorded" group "mq" node "mq-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 1, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
job.began: fact "job/1"
machine.created: group "web" id "sim-3" node "web-0" pass 1 rule "free_slot" slot 0
machine.created: group "mq" id "sim-2" node "mq-0" pass 1 rule "free_slot" slot 0
machine.created: group "db" id "sim-1" node "db-0" pass 1 rule "free_slot" slot 0
machine.ready: fact "sim-1 runs" group "db" id "sim-1" node "db-0" pass 2 rule "activate" slot 0
machine.ready: fact "sim-2 runs" group "mq" id "sim-2" node "mq-0" pass 2 rule "activate" slot 0
machine.ready: fact "sim-3 runs" group "web" id "sim-3" node "web-0" pass 2 rule "activate" slot 0
job.done: fact "job/1"
cluster.changed: actor "ana" groups ["db","mq","web"] sums {"change":0,"create":3,"destroy":0,"groups":3,"nodes":6,"reboot":0,"replace":0}
machine.wanted: fact "size is 2, 1 recorded" group "db" node "db-1" pass 3 rule "free_slot" slot 1
hold.began: fact "observation continues" group "mq" pass 3 rule "paused"
hold.began: fact "observation continues" group "web" pass 3 rule "paused"
job.began: fact "job/8"
machine.created: group "db" id "sim-4" node "db-1" pass 3 rule "free_slot" slot 1
machine.ready: fact "sim-4 runs" group "db" id "sim-4" node "db-1" pass 4 rule "activate" slot 1
hold.began: fact "observation continues" group "db" pass 5 rule "paused"
machine.wanted: fact "size is 2, 1 recorded" group "mq" node "mq-1" pass 6 rule "free_slot" slot 1
hold.ended: group "db" pass 6 rule "paused"
hold.ended: group "mq" pass 6 rule "paused"
machine.created: group "mq" id "sim-5" node "mq-1" pass 6 rule "free_slot" slot 1
machine.ready: fact "sim-5 runs" group "mq" id "sim-5" node "mq-1" pass 7 rule "activate" slot 1
