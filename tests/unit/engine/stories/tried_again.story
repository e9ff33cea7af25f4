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
    callAfter: 44742
    cause: "invalid"
    fault: "invalid"
    tries: 1
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true
    callAfter: 45021
    cause: "invalid"
    fault: "invalid"
    tries: 1
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true
    callAfter: 42527
    cause: "invalid"
    fault: "invalid"
    tries: 1

  + /default/Hold/ID/refused/db/status
    cluster: "shop"
    fact: "1 machine: the request is invalid, or the account does not permit it"
    group: "db"
    pass: 2
    rule: "refused"
    since: 1760000001000
    wouldCreate: 1
    wouldDestroy: 0
  + /default/Hold/ID/refused/web/status
    cluster: "shop"
    fact: "2 machines: the request is invalid, or the account does not permit it"
    group: "web"
    pass: 2
    rule: "refused"
    since: 1760000001000
    wouldCreate: 2
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 2
  ~ /default/Job/ID/00000000000000000001/status
    failedNodes: "db-0,web-[0-1]"
    problems: [{"name":"db-0","text":"refused: the request is invalid, or not permitted (invalid)","tries":1},{"name":"web-0","text":"refused: the request is invalid, or not permitted (invalid)","tries":1},{"name":"web-1","text":"refused: the request is invalid, or not permitted (invalid)","tries":1}]
    state: "waiting"
    waits: ["db:refused","web:refused"]

121.000 s, 1 done, 4 held (5 decided, last at 91.000 s), 5 lists, 3 other calls, 0 probes
=== web alone
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: (none)
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: (none)
  - /default/Hold/ID/refused/web/status
  ~ /default/Cluster/ID/status
    holds: 1
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"
    waits: ["db:refused"]

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true
    callAfter: 238993
    tries: 2
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true
    callAfter: 193594
    tries: 2

  + /default/Hold/ID/refused/web/status
    cluster: "shop"
    fact: "2 machines: the request is invalid, or the account does not permit it"
    group: "web"
    pass: 4
    rule: "refused"
    since: 1760000121000
    wouldCreate: 2
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 2
  ~ /default/Job/ID/00000000000000000001/status
    problems: [{"name":"db-0","text":"refused: the request is invalid, or not permitted (invalid)","tries":1},{"name":"web-0","text":"refused: the request is invalid, or not permitted (invalid)","tries":2},{"name":"web-1","text":"refused: the request is invalid, or not permitted (invalid)","tries":2}]
    state: "waiting"
    waits: ["db:refused","web:refused"]

241.000 s, 1 done, 4 held (5 decided, last at 211.000 s), 5 lists, 2 other calls, 0 probes
=== another manager
  ~ /default/Lease/ID/status
    session: "life-2"

361.000 s, 4 held (4 decided, last at 331.000 s), 4 lists, 0 other calls, 0 probes
=== all
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: (none)
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: (none)
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: (none)
  - /default/Hold/ID/refused/db/status
  - /default/Hold/ID/refused/web/status
  ~ /default/Cluster/ID/status
    holds: 0
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true
    callAfter: 536347
    tries: 3
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true
    callAfter: 513539
    tries: 3
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true
    callAfter: 471180
    tries: 2

  + /default/Hold/ID/refused/db/status
    cluster: "shop"
    fact: "1 machine: the request is invalid, or the account does not permit it"
    group: "db"
    pass: 6
    rule: "refused"
    since: 1760000361000
    wouldCreate: 1
    wouldDestroy: 0
  + /default/Hold/ID/refused/web/status
    cluster: "shop"
    fact: "2 machines: the request is invalid, or the account does not permit it"
    group: "web"
    pass: 6
    rule: "refused"
    since: 1760000361000
    wouldCreate: 2
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 2
  ~ /default/Job/ID/00000000000000000001/status
    problems: [{"name":"db-0","text":"refused: the request is invalid, or not permitted (invalid)","tries":2},{"name":"web-0","text":"refused: the request is invalid, or not permitted (invalid)","tries":3},{"name":"web-1","text":"refused: the request is invalid, or not permitted (invalid)","tries":3}]
    state: "waiting"
    waits: ["db:refused","web:refused"]

481.000 s, 1 done, 4 held (5 decided, last at 451.000 s), 5 lists, 3 other calls, 0 probes
=== and none is refused any more
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: (none)
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: (none)
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: (none)
  - /default/Hold/ID/refused/db/status
  - /default/Hold/ID/refused/web/status
  ~ /default/Cluster/ID/status
    holds: 0
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true
    id: "sim-3"
    callAfter: (none)
    cause: (none)
    fault: (none)
    tries: (none)
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true
    id: "sim-2"
    callAfter: (none)
    cause: (none)
    fault: (none)
    tries: (none)
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true
    id: "sim-1"
    callAfter: (none)
    cause: (none)
    fault: (none)
    tries: (none)

  ~ /default/Job/ID/00000000000000000001/status
    problems: []
    failedNodes: (none)

483.000 s, 1 done, 4 quiet (5 decided, last at 482.500 s), 6 lists, 3 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    active: 482001
    pass: 8
    state: "active"
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    active: 482001
    pass: 8
    state: "active"
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    active: 482001
    pass: 8
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000001/status
    ended: 1760000483000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}
    state: "done"

=== the end
601.000 s, 1 done, 4 quiet (2 decided, last at 573.500 s), 4 lists, 0 other calls, 0 probes
=== machines
sim-1 db/0 {"resourcePlugin":"sim"} zone '' labels  made 481000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/0 {"resourcePlugin":"sim"} zone '' labels  made 481000 ended 0 stopped 0 reboots 0 at 0 ''
sim-3 web/1 {"resourcePlugin":"sim"} zone '' labels  made 481000 ended 0 stopped 0 reboots 0 at 0 ''
=== events
cluster.created: actor "ana" groups ["db","web"] sums {"change":0,"create":3,"destroy":0,"groups":2,"nodes":3,"reboot":0,"replace":0}
machine.wanted: fact "size is 1, 0 recorded" group "db" node "db-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 2, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 2, 0 recorded" group "web" node "web-1" pass 1 rule "free_slot" slot 1
job.began: fact "job/1"
machine.refused: fact "invalid" group "web" node "web-1" pass 1 rule "free_slot" slot 1
machine.refused: fact "invalid" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.refused: fact "invalid" group "db" node "db-0" pass 1 rule "free_slot" slot 0
hold.began: fact "1 machine: the request is invalid, or the account does not permit it" group "db" pass 2 rule "refused"
hold.began: fact "2 machines: the request is invalid, or the account does not permit it" group "web" pass 2 rule "refused"
hold.ended: group "web" pass 3 rule "refused"
machine.refused: fact "invalid" group "web" node "web-1" pass 1 rule "free_slot" slot 1
machine.refused: fact "invalid" group "web" node "web-0" pass 1 rule "free_slot" slot 0
hold.began: fact "2 machines: the request is invalid, or the account does not permit it" group "web" pass 4 rule "refused"
hold.ended: group "db" pass 5 rule "refused"
hold.ended: group "web" pass 5 rule "refused"
machine.refused: fact "invalid" group "web" node "web-1" pass 1 rule "free_slot" slot 1
machine.refused: fact "invalid" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.refused: fact "invalid" group "db" node "db-0" pass 1 rule "free_slot" slot 0
hold.began: fact "1 machine: the request is invalid, or the account does not permit it" group "db" pass 6 rule "refused"
hold.began: fact "2 machines: the request is invalid, or the account does not permit it" group "web" pass 6 rule "refused"
hold.ended: group "db" pass 7 rule "refused"
hold.ended: group "web" pass 7 rule "refused"
machine.created: group "web" id "sim-3" node "web-1" pass 1 rule "free_slot" slot 1
machine.created: group "web" id "sim-2" node "web-0" pass 1 rule "free_slot" slot 0
machine.created: group "db" id "sim-1" node "db-0" pass 1 rule "free_slot" slot 0
machine.ready: fact "sim-1 runs" group "db" id "sim-1" node "db-0" pass 8 rule "activate" slot 0
machine.ready: fact "sim-2 runs" group "web" id "sim-2" node "web-0" pass 8 rule "activate" slot 0
machine.ready: fact "sim-3 runs" group "web" id "sim-3" node "web-1" pass 8 rule "activate" slot 1
job.done: fact "job/1"
