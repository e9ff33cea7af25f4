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
    pass: 2
    state: "active"
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    active: 2001
    pass: 2
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":2}
  ~ /default/Job/ID/00000000000000000001/status
    ended: 1760000003000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}
    state: "done"

61.000 s, 1 done, 2 quiet (2 decided, last at 33.500 s), 3 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    series: {"fbae27432718":[4,1,60001]}
    unheard: {"sim":[1,60001,60001]}
  + /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    created: 60001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000061000
    pass: 3
    reason: "free_slot"
    slot: 2
    state: "create"
  + /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    created: 60001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000061000
    pass: 3
    reason: "free_slot"
    slot: 3
    state: "create"
  ~ /default/Cluster/ID/status
    machines: {"creating":2,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":4}
    observed: 6
  + /default/Job/ID/00000000000000000006/status
    begun: 1760000061000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":2,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":4}]
    machines: {"creating":2,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":4}
    problems: []
    revision: 6
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true
    callAfter: 60576
    cause: "transient"
    fault: "transient"
    tries: 1
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true
    callAfter: 60973
    cause: "transient"
    fault: "transient"
    tries: 1

  ~ /default/Job/ID/00000000000000000006/status
    failedNodes: "web-[2-3]"
    problems: [{"name":"web-2","text":"refused: a temporary error (transient)","tries":1},{"name":"web-3","text":"refused: a temporary error (transient)","tries":1}]
    state: "waiting"

62.491 s, 2 unheard (2 decided, last at 61.000 s), 2 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: (none)
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: (none)
  ~ /default/Job/ID/00000000000000000006/status
    state: "running"

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true
    callAfter: 63415
    tries: 2
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true
    callAfter: 62799
    tries: 2

  ~ /default/Job/ID/00000000000000000006/status
    problems: [{"name":"web-2","text":"refused: a temporary error (transient)","tries":2},{"name":"web-3","text":"refused: a temporary error (transient)","tries":2}]
    state: "waiting"

68.857 s, 2 unheard (2 decided, last at 62.491 s), 2 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: (none)
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: (none)
  ~ /default/Job/ID/00000000000000000006/status
    state: "running"

70.212 s, 1 unheard (1 decided, last at 68.857 s), 0 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true
    callAfter: 71707
    tries: 3

70.312 s (0 decided, last at 68.857 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000006/status
    problems: [{"name":"web-2","text":"refused: a temporary error (transient)","tries":3},{"name":"web-3","text":"refused: a temporary error (transient)","tries":2}]

72.334 s, 1 unheard (1 decided, last at 70.312 s), 0 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true
    callAfter: 74364
    tries: 3

  ~ /default/Job/ID/00000000000000000006/status
    problems: [{"name":"web-2","text":"refused: a temporary error (transient)","tries":3},{"name":"web-3","text":"refused: a temporary error (transient)","tries":3}]
    state: "waiting"

114.993 s, 1 unheard (1 decided, last at 72.334 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: (none)
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: (none)
  ~ /default/Job/ID/00000000000000000006/status
    state: "running"

128.353 s, 1 unheard (1 decided, last at 114.993 s), 0 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true
    callAfter: 134735
    tries: 4

128.453 s (0 decided, last at 114.993 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000006/status
    problems: [{"name":"web-2","text":"refused: a temporary error (transient)","tries":4},{"name":"web-3","text":"refused: a temporary error (transient)","tries":3}]

151.637 s, 1 unheard (1 decided, last at 128.453 s), 0 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true
    callAfter: 154994
    tries: 4

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: (none)
  ~ /default/Job/ID/00000000000000000006/status
    problems: [{"name":"web-2","text":"refused: a temporary error (transient)","tries":4},{"name":"web-3","text":"refused: a temporary error (transient)","tries":4}]

204.846 s, 1 unheard (1 decided, last at 151.637 s), 0 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true
    callAfter: 213799
    tries: 5

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: (none)
  ~ /default/Job/ID/00000000000000000006/status
    problems: [{"name":"web-2","text":"refused: a temporary error (transient)","tries":5},{"name":"web-3","text":"refused: a temporary error (transient)","tries":4}]

249.109 s, 1 unheard (1 decided, last at 204.846 s), 0 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true
    callAfter: 263356
    tries: 5

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: (none)
  ~ /default/Job/ID/00000000000000000006/status
    problems: [{"name":"web-2","text":"refused: a temporary error (transient)","tries":5},{"name":"web-3","text":"refused: a temporary error (transient)","tries":5}]

306.706 s, 1 unheard (1 decided, last at 249.109 s), 0 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true
    callAfter: 332607
    tries: 6

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: (none)
  ~ /default/Job/ID/00000000000000000006/status
    problems: [{"name":"web-2","text":"refused: a temporary error (transient)","tries":6},{"name":"web-3","text":"refused: a temporary error (transient)","tries":5}]

350.181 s, 1 unheard (1 decided, last at 306.706 s), 0 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true
    callAfter: 380335
    tries: 6

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: (none)
  ~ /default/Job/ID/00000000000000000006/status
    problems: [{"name":"web-2","text":"refused: a temporary error (transient)","tries":6},{"name":"web-3","text":"refused: a temporary error (transient)","tries":6}]

393.364 s, 1 unheard (1 decided, last at 350.181 s), 0 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true
    callAfter: 445455
    tries: 7

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: (none)
  ~ /default/Job/ID/00000000000000000006/status
    problems: [{"name":"web-2","text":"refused: a temporary error (transient)","tries":7},{"name":"web-3","text":"refused: a temporary error (transient)","tries":6}]

435.875 s, 1 unheard (1 decided, last at 393.364 s), 0 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true
    callAfter: 493914
    tries: 7

  ~ /default/Job/ID/00000000000000000006/status
    problems: [{"name":"web-2","text":"refused: a temporary error (transient)","tries":7},{"name":"web-3","text":"refused: a temporary error (transient)","tries":7}]
    state: "waiting"

591.040 s, 1 unheard (1 decided, last at 435.875 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: (none)
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: (none)
  ~ /default/Job/ID/00000000000000000006/status
    state: "running"

633.539 s, 1 unheard (1 decided, last at 591.040 s), 0 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true
    callAfter: 720458
    tries: 8

633.639 s (0 decided, last at 591.040 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000006/status
    problems: [{"name":"web-2","text":"refused: a temporary error (transient)","tries":8},{"name":"web-3","text":"refused: a temporary error (transient)","tries":7}]

676.569 s, 1 unheard (1 decided, last at 633.639 s), 0 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true
    callAfter: 796009
    tries: 8

  + /default/Hold/ID/unlisted/status
    cluster: "shop"
    fact: "sim: the plugin has failed 23 times in a row: transient; the next call is in 49 s; unmanaged: 4 machines"
    pass: 14
    rule: "unlisted"
    since: 1760000676569
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1
  ~ /default/Job/ID/00000000000000000006/status
    problems: [{"name":"web-2","text":"refused: a temporary error (transient)","tries":8},{"name":"web-3","text":"refused: a temporary error (transient)","tries":8}]
    state: "waiting"
    waits: ["unlisted"]

837.329 s, 1 unheard (1 decided, last at 676.569 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: (none)
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: (none)
  ~ /default/Hold/ID/unlisted/status
    fact: "sim: transient; unmanaged: 4 machines"
    pass: 15
  ~ /default/Job/ID/00000000000000000006/status
    state: "running"

896.110 s, 1 unheard (1 decided, last at 837.329 s), 0 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true
    callAfter: 1099945
    tries: 9

896.210 s (0 decided, last at 837.329 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Hold/ID/unlisted/status
    fact: "sim: the plugin has failed 25 times in a row: transient; the next call is in 35 s; unmanaged: 4 machines"
    pass: 16
  ~ /default/Job/ID/00000000000000000006/status
    problems: [{"name":"web-2","text":"refused: a temporary error (transient)","tries":9},{"name":"web-3","text":"refused: a temporary error (transient)","tries":8}]

930.448 s, 1 unheard (1 decided, last at 896.210 s), 0 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true
    callAfter: 1149492
    tries: 9

  ~ /default/Job/ID/00000000000000000006/status
    problems: [{"name":"web-2","text":"refused: a temporary error (transient)","tries":9},{"name":"web-3","text":"refused: a temporary error (transient)","tries":9}]
    state: "waiting"

961.000 s, 1 unheard (1 decided, last at 930.448 s), 0 lists, 0 other calls, 0 probes
=== throttled, and then it answers
1150.839 s (0 decided, last at 930.448 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    unheard: (none)
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: (none)
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: (none)
  - /default/Hold/ID/unlisted/status
  ~ /default/Cluster/ID/status
    holds: 0
  ~ /default/Job/ID/00000000000000000006/status
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true
    callAfter: 1330752
    cause: "throttled"
    fault: "throttled"
    tries: 10
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true
    callAfter: 1307393
    cause: "throttled"
    fault: "throttled"
    tries: 10

  ~ /default/Job/ID/00000000000000000006/status
    problems: [{"name":"web-2","text":"refused: a temporary error (throttled)","tries":10},{"name":"web-3","text":"refused: a temporary error (throttled)","tries":10}]
    state: "waiting"

1330.839 s, 1 done, 6 quiet (7 decided, last at 1300.839 s), 7 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: (none)
  ~ /default/Job/ID/00000000000000000006/status
    state: "running"

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true
    id: "sim-3"
    callAfter: (none)
    cause: (none)
    fault: (none)
    tries: (none)

  ~ /default/Job/ID/00000000000000000006/status
    failedNodes: "web-3"
    problems: [{"name":"web-3","text":"refused: a temporary error (throttled)","tries":10}]

1331.839 s, 1 done, 2 quiet (3 decided, last at 1331.339 s), 3 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: (none)

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true
    id: "sim-4"
    callAfter: (none)
    cause: (none)
    fault: (none)
    tries: (none)

  ~ /default/Job/ID/00000000000000000006/status
    problems: []
    failedNodes: (none)

1332.839 s, 1 done, 2 quiet (3 decided, last at 1332.339 s), 3 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    active: 1331840
    pass: 20
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":3,"updated":3,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":4}

1333.839 s, 1 done, 1 quiet (2 decided, last at 1333.339 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    active: 1332840
    pass: 21
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    ended: 1760001333839
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}
    state: "done"

=== the end
1861.000 s, 1 done, 18 quiet (2 decided, last at 1844.339 s), 18 lists, 0 other calls, 0 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-3 web/2 {"resourcePlugin":"sim"} zone '' labels  made 1330839 ended 0 stopped 0 reboots 0 at 0 ''
sim-4 web/3 {"resourcePlugin":"sim"} zone '' labels  made 1331839 ended 0 stopped 0 reboots 0 at 0 ''
=== events
cluster.created: actor "ana" groups ["web"] sums {"change":0,"create":2,"destroy":0,"groups":1,"nodes":2,"reboot":0,"replace":0}
machine.wanted: fact "size is 2, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 2, 0 recorded" group "web" node "web-1" pass 1 rule "free_slot" slot 1
job.began: fact "job/1"
machine.created: group "web" id "sim-2" node "web-1" pass 1 rule "free_slot" slot 1
machine.created: group "web" id "sim-1" node "web-0" pass 1 rule "free_slot" slot 0
machine.ready: fact "sim-1 runs" group "web" id "sim-1" node "web-0" pass 2 rule "activate" slot 0
machine.ready: fact "sim-2 runs" group "web" id "sim-2" node "web-1" pass 2 rule "activate" slot 1
job.done: fact "job/1"
cluster.changed: actor "ana" groups ["web"] sums {"change":0,"create":2,"destroy":0,"groups":1,"nodes":4,"reboot":0,"replace":0}
machine.wanted: fact "size is 4, 2 recorded" group "web" node "web-2" pass 3 rule "free_slot" slot 2
machine.wanted: fact "size is 4, 2 recorded" group "web" node "web-3" pass 3 rule "free_slot" slot 3
job.began: fact "job/6"
machine.refused: fact "transient" group "web" node "web-3" pass 3 rule "free_slot" slot 3
machine.refused: fact "transient" group "web" node "web-2" pass 3 rule "free_slot" slot 2
machine.refused: fact "transient" group "web" node "web-3" pass 3 rule "free_slot" slot 3
machine.refused: fact "transient" group "web" node "web-2" pass 3 rule "free_slot" slot 2
machine.refused: fact "transient" group "web" node "web-2" pass 3 rule "free_slot" slot 2
machine.refused: fact "transient" group "web" node "web-3" pass 3 rule "free_slot" slot 3
machine.refused: fact "transient" group "web" node "web-2" pass 3 rule "free_slot" slot 2
machine.refused: fact "transient" group "web" node "web-3" pass 3 rule "free_slot" slot 3
machine.refused: fact "transient" group "web" node "web-2" pass 3 rule "free_slot" slot 2
machine.refused: fact "transient" group "web" node "web-3" pass 3 rule "free_slot" slot 3
machine.refused: fact "transient" group "web" node "web-2" pass 3 rule "free_slot" slot 2
machine.refused: fact "transient" group "web" node "web-3" pass 3 rule "free_slot" slot 3
machine.refused: fact "transient" group "web" node "web-2" pass 3 rule "free_slot" slot 2
machine.refused: fact "transient" group "web" node "web-3" pass 3 rule "free_slot" slot 3
machine.refused: fact "transient" group "web" node "web-2" pass 3 rule "free_slot" slot 2
machine.refused: fact "transient" group "web" node "web-3" pass 3 rule "free_slot" slot 3
hold.began: fact "sim: the plugin has failed 23 times in a row: transient; the next call is in 49 s; unmanaged: 4 machines" pass 14 rule "unlisted"
machine.refused: fact "transient" group "web" node "web-2" pass 3 rule "free_slot" slot 2
machine.refused: fact "transient" group "web" node "web-3" pass 3 rule "free_slot" slot 3
hold.ended: pass 17 rule "unlisted"
machine.refused: fact "throttled" group "web" node "web-3" pass 3 rule "free_slot" slot 3
machine.refused: fact "throttled" group "web" node "web-2" pass 3 rule "free_slot" slot 2
machine.created: group "web" id "sim-3" node "web-2" pass 3 rule "free_slot" slot 2
machine.created: group "web" id "sim-4" node "web-3" pass 3 rule "free_slot" slot 3
machine.ready: fact "sim-3 runs" group "web" id "sim-3" node "web-2" pass 20 rule "activate" slot 2
machine.ready: fact "sim-4 runs" group "web" id "sim-4" node "web-3" pass 21 rule "activate" slot 3
job.done: fact "job/6"
