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

3.168 s, 1 done (1 decided, last at 3.000 s), 0 lists, 0 other calls, 2 probes
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    cause: "open"
    starting: (none)
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    cause: "open"
    starting: (none)

  ~ /default/Cluster/ID/status
    machines: {"creating":2,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"creating":2,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":4}]
    machines: {"creating":2,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":4}

3.308 s, 1 quiet (1 decided, last at 3.168 s), 1 lists, 0 other calls, 1 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    cause: "open"
    starting: (none)

  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":3,"updated":3,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":4}

3.510 s, 1 quiet (1 decided, last at 3.308 s), 1 lists, 0 other calls, 1 probes
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    cause: "open"
    starting: (none)

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000001/status
    ended: 1760000003510
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}
    state: "done"

121.000 s, 4 quiet (2 decided, last at 93.510 s), 4 lists, 0 other calls, 426 probes
=== all are unhealthy
123.208 s (0 decided, last at 93.510 s), 0 lists, 0 other calls, 9 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    cause: "exit code 3"
    unhealthy: 120009

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":1,"unreachable":0,"wanted":4}

123.410 s, 1 quiet (1 decided, last at 123.208 s), 2 lists, 0 other calls, 1 probes
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    cause: "exit code 3"
    unhealthy: 120211

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":2,"unreachable":0,"wanted":4}

124.168 s, 1 quiet (1 decided, last at 123.410 s), 1 lists, 0 other calls, 2 probes
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    cause: "exit code 3"
    unhealthy: 120969
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    cause: "exit code 3"
    unhealthy: 120969

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":4,"unreachable":0,"wanted":4}

181.008 s, 2 quiet (2 decided, last at 154.168 s), 3 lists, 0 other calls, 206 probes
  + /default/Hold/ID/unhealthy_brake/web/status
    cluster: "shop"
    fact: "4 of 4 machines are unhealthy or unreachable"
    group: "web"
    pass: 3
    rule: "unhealthy_brake"
    since: 1760000181008
    wouldCreate: 1
    wouldDestroy: 1
  ~ /default/Cluster/ID/status
    holds: 1

181.210 s, 1 held (1 decided, last at 181.008 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Hold/ID/unhealthy_brake/web/status
    pass: 4
    wouldCreate: 2
    wouldDestroy: 2

181.968 s, 1 held (1 decided, last at 181.210 s), 1 lists, 0 other calls, 4 probes
  ~ /default/Hold/ID/unhealthy_brake/web/status
    pass: 5
    wouldCreate: 4
    wouldDestroy: 4

=== unhealthy_brake of shop/web is not there
721.000 s, 18 held (18 decided, last at 691.968 s), 17 lists, 0 other calls, 1960 probes
=== all are healthy
721.968 s (0 decided, last at 691.968 s), 1 lists, 0 other calls, 4 probes
  - /default/Hold/ID/unhealthy_brake/web/status
  ~ /default/Cluster/ID/status
    holds: 0

722.368 s, 1 quiet (1 decided, last at 721.968 s), 0 lists, 0 other calls, 3 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    cause: "open"
    unhealthy: (none)
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    cause: "open"
    unhealthy: (none)
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    cause: "open"
    unhealthy: (none)

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":1,"unreachable":0,"wanted":4}

722.668 s, 1 quiet (1 decided, last at 722.368 s), 1 lists, 0 other calls, 1 probes
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    cause: "open"
    unhealthy: (none)

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}

1021.000 s, 10 quiet (2 decided, last at 992.668 s), 10 lists, 0 other calls, 1084 probes
=== healing is off
  ~ /default/Cluster/ID/status
    observed: 26

1023.668 s, 1 quiet (1 decided, last at 1021.000 s), 1 lists, 0 other calls, 11 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    cause: "exit code 4"
    unhealthy: 1020469
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    cause: "exit code 4"
    unhealthy: 1020469
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    cause: "exit code 4"
    unhealthy: 1020469

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":1,"unhealthy":3,"unreachable":0,"wanted":4}

1023.968 s, 1 quiet (1 decided, last at 1023.668 s), 1 lists, 0 other calls, 1 probes
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    cause: "exit code 4"
    unhealthy: 1020769

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":4,"unreachable":0,"wanted":4}

1081.468 s, 2 quiet (2 decided, last at 1053.968 s), 3 lists, 0 other calls, 208 probes
  + /default/Hold/ID/unhealed/web/status
    cluster: "shop"
    fact: "3 machines"
    group: "web"
    pass: 7
    rule: "unhealed"
    since: 1760001081468
    wouldCreate: 3
    wouldDestroy: 3
  ~ /default/Cluster/ID/status
    holds: 1

1081.768 s, 1 held (1 decided, last at 1081.468 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Hold/ID/unhealed/web/status
    fact: "4 machines"
    pass: 8
    wouldCreate: 4
    wouldDestroy: 4

1321.000 s, 8 held (8 decided, last at 1291.768 s), 7 lists, 0 other calls, 872 probes
=== another host key
1321.668 s (0 decided, last at 1291.768 s), 0 lists, 0 other calls, 3 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    alarm: "another key"
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    alarm: "another key"
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    alarm: "another key"

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    cause: "another key"
    silent: 1760001021468
    unreachable: 1020469
    unhealthy: (none)
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    cause: "another key"
    silent: 1760001021468
    unreachable: 1020469
    unhealthy: (none)
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    cause: "another key"
    silent: 1760001021468
    unreachable: 1020469
    unhealthy: (none)

  + /default/Hold/ID/self_suspicion/status
    cluster: "shop"
    fact: "3 of 4 machines that this manager reached no longer answer"
    observation: "life-1/1"
    pass: 9
    rule: "self_suspicion"
    since: 1760001321668
    wouldCreate: 0
    wouldDestroy: 0
  + /default/Hold/ID/unreachable/web/status
    cluster: "shop"
    fact: "3 machines"
    group: "web"
    pass: 9
    rule: "unreachable"
    since: 1760001321668
    wouldCreate: 0
    wouldDestroy: 0
  - /default/Hold/ID/unhealed/web/status
  ~ /default/Cluster/ID/status
    alarms: 3
    holds: 2
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":1,"unreachable":3,"wanted":4}

1321.968 s, 1 held (1 decided, last at 1321.668 s), 1 lists, 0 other calls, 1 probes
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    alarm: "another key"

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    cause: "another key"
    silent: 1760001021768
    unreachable: 1020769
    unhealthy: (none)

  ~ /default/Hold/ID/self_suspicion/status
    fact: "4 of 4 machines that this manager reached no longer answer"
    pass: 10
  ~ /default/Hold/ID/unreachable/web/status
    fact: "4 machines"
    pass: 10
  ~ /default/Cluster/ID/status
    alarms: 4
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":4,"wanted":4}

=== the end
1441.000 s, 217 held (217 decided, last at 1440.768 s), 217 lists, 0 other calls, 432 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-3 web/2 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-4 web/3 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
last probe: web-3 at sim-4 port 80, 0 words, within 500 ms
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
machine.running: fact "sim-1 runs" group "web" id "sim-1" node "web-0" pass 2 rule "activate" slot 0
machine.running: fact "sim-2 runs" group "web" id "sim-2" node "web-1" pass 2 rule "activate" slot 1
machine.running: fact "sim-3 runs" group "web" id "sim-3" node "web-2" pass 2 rule "activate" slot 2
machine.running: fact "sim-4 runs" group "web" id "sim-4" node "web-3" pass 2 rule "activate" slot 3
machine.ready: fact "open" group "web" id "sim-2" node "web-1" pass 2 rule "probe" slot 1
machine.ready: fact "open" group "web" id "sim-3" node "web-2" pass 2 rule "probe" slot 2
machine.ready: fact "open" group "web" id "sim-1" node "web-0" pass 2 rule "probe" slot 0
machine.ready: fact "open" group "web" id "sim-4" node "web-3" pass 2 rule "probe" slot 3
job.done: fact "job/1"
machine.unhealthy: fact "exit code 3" group "web" id "sim-1" node "web-0" pass 2 rule "probe" slot 0
machine.unhealthy: fact "exit code 3" group "web" id "sim-4" node "web-3" pass 2 rule "probe" slot 3
machine.unhealthy: fact "exit code 3" group "web" id "sim-2" node "web-1" pass 2 rule "probe" slot 1
machine.unhealthy: fact "exit code 3" group "web" id "sim-3" node "web-2" pass 2 rule "probe" slot 2
hold.began: fact "4 of 4 machines are unhealthy or unreachable" group "web" pass 3 rule "unhealthy_brake"
hold.ended: group "web" pass 6 rule "unhealthy_brake"
machine.healthy: fact "open" group "web" id "sim-1" node "web-0" pass 2 rule "probe" slot 0
machine.healthy: fact "open" group "web" id "sim-2" node "web-1" pass 2 rule "probe" slot 1
machine.healthy: fact "open" group "web" id "sim-3" node "web-2" pass 2 rule "probe" slot 2
machine.healthy: fact "open" group "web" id "sim-4" node "web-3" pass 2 rule "probe" slot 3
cluster.changed: actor "ana" groups ["web"] sums {"change":0,"create":0,"destroy":0,"groups":1,"nodes":4,"reboot":0,"replace":0}
machine.unhealthy: fact "exit code 4" group "web" id "sim-1" node "web-0" pass 2 rule "probe" slot 0
machine.unhealthy: fact "exit code 4" group "web" id "sim-2" node "web-1" pass 2 rule "probe" slot 1
machine.unhealthy: fact "exit code 4" group "web" id "sim-3" node "web-2" pass 2 rule "probe" slot 2
machine.unhealthy: fact "exit code 4" group "web" id "sim-4" node "web-3" pass 2 rule "probe" slot 3
hold.began: fact "3 machines" group "web" pass 7 rule "unhealed"
machine.alarm: fact "another key" group "web" id "sim-1" node "web-0" pass 2 rule "probe" slot 0
machine.alarm: fact "another key" group "web" id "sim-2" node "web-1" pass 2 rule "probe" slot 1
machine.alarm: fact "another key" group "web" id "sim-3" node "web-2" pass 2 rule "probe" slot 2
machine.unreachable: fact "another key" group "web" id "sim-1" node "web-0" pass 2 rule "probe" slot 0
machine.unreachable: fact "another key" group "web" id "sim-2" node "web-1" pass 2 rule "probe" slot 1
machine.unreachable: fact "another key" group "web" id "sim-3" node "web-2" pass 2 rule "probe" slot 2
hold.began: fact "3 of 4 machines that this manager reached no longer answer" pass 9 rule "self_suspicion"
hold.began: fact "3 machines" group "web" pass 9 rule "unreachable"
hold.ended: group "web" pass 9 rule "unhealed"
machine.alarm: fact "another key" group "web" id "sim-4" node "web-3" pass 2 rule "probe" slot 3
machine.unreachable: fact "another key" group "web" id "sim-4" node "web-3" pass 2 rule "probe" slot 3
