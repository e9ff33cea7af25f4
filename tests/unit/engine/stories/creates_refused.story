1.000 s (0 decided, last at 0.000 s), 0 lists, 0 other calls, 0 probes
=== no room, twice
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
    callAfter: 14854
    cause: "capacity"
    fault: "capacity"
    tries: 1
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true
    callAfter: 12291
    cause: "capacity"
    fault: "capacity"
    tries: 1

  ~ /default/Job/ID/00000000000000000001/status
    failedNodes: "web-[0-1]"
    problems: [{"name":"web-0","text":"refused: no capacity, or no quota (capacity)","tries":1},{"name":"web-1","text":"refused: no capacity, or no quota (capacity)","tries":1}]
    state: "waiting"

31.000 s, 1 done, 1 quiet (2 decided, last at 1.000 s), 3 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: (none)
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: (none)
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

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

33.000 s, 1 done, 4 quiet (5 decided, last at 32.500 s), 5 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    active: 32001
    pass: 3
    state: "active"
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    active: 32001
    pass: 3
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":2}
  ~ /default/Job/ID/00000000000000000001/status
    ended: 1760000033000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}
    state: "done"

601.000 s, 1 done, 19 quiet (2 decided, last at 573.500 s), 19 lists, 0 other calls, 0 probes
=== what is requested is wrong
  ~ /default/Control/ID/status
    series: {"fbae27432718":[7,1,600001]}
  + /default/Resource/ID/fbae2743271800000003cb7da0a82c80/status
    created: 600001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000601000
    pass: 4
    reason: "free_slot"
    slot: 2
    state: "create"
  + /default/Resource/ID/fbae2743271800000004c771e46ad526/status
    created: 600001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000601000
    pass: 4
    reason: "free_slot"
    slot: 3
    state: "create"
  + /default/Resource/ID/fbae2743271800000005b3fb02f2ff39/status
    created: 600001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000601000
    pass: 4
    reason: "free_slot"
    slot: 4
    state: "create"
  + /default/Resource/ID/fbae2743271800000006ce7d3478bd5b/status
    created: 600001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000601000
    pass: 4
    reason: "free_slot"
    slot: 5
    state: "create"
  + /default/Resource/ID/fbae27432718000000078c474eec5dda/status
    created: 600001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000601000
    pass: 4
    reason: "free_slot"
    slot: 6
    state: "create"
  ~ /default/Cluster/ID/status
    machines: {"creating":5,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":7}
    observed: 10
  + /default/Job/ID/00000000000000000010/status
    begun: 1760000601000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":5,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":7}]
    machines: {"creating":5,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":7}
    problems: []
    revision: 10
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae27432718000000078c474eec5dda/status
    answered: true
    id: "sim-5"
  ~ /default/Resource/ID/fbae2743271800000006ce7d3478bd5b/status
    answered: true
    id: "sim-4"
  ~ /default/Resource/ID/fbae2743271800000005b3fb02f2ff39/status
    answered: true
    id: "sim-3"
  ~ /default/Resource/ID/fbae2743271800000004c771e46ad526/status
    answered: true
    callAfter: 652964
    cause: "invalid"
    fault: "invalid"
    tries: 1
  ~ /default/Resource/ID/fbae2743271800000003cb7da0a82c80/status
    answered: true
    callAfter: 649324
    cause: "invalid"
    fault: "invalid"
    tries: 1

  + /default/Hold/ID/refused/web/status
    cluster: "shop"
    fact: "2 machines: the request is invalid, or the account does not permit it"
    group: "web"
    pass: 5
    rule: "refused"
    since: 1760000601000
    wouldCreate: 2
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1
  ~ /default/Job/ID/00000000000000000010/status
    failedNodes: "web-[2-3]"
    problems: [{"name":"web-2","text":"refused: the request is invalid, or not permitted (invalid)","tries":1},{"name":"web-3","text":"refused: the request is invalid, or not permitted (invalid)","tries":1}]
    waits: ["web:refused"]

603.000 s, 1 done, 4 held (5 decided, last at 602.500 s), 6 lists, 5 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000005b3fb02f2ff39/status
    active: 602001
    pass: 6
    state: "active"
  ~ /default/Resource/ID/fbae2743271800000006ce7d3478bd5b/status
    active: 602001
    pass: 6
    state: "active"
  ~ /default/Resource/ID/fbae27432718000000078c474eec5dda/status
    active: 602001
    pass: 6
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":2,"failed":0,"leaving":0,"outdated":0,"ready":5,"unhealthy":0,"unreachable":0,"wanted":7}
  ~ /default/Job/ID/00000000000000000010/status
    groups: [{"creating":2,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":5,"updated":5,"wanted":7}]
    machines: {"creating":2,"leaving":0,"old":0,"ready":5,"updated":5,"wanted":7}
    state: "waiting"

1201.000 s, 1 done, 20 held (21 decided, last at 1173.500 s), 20 lists, 0 other calls, 0 probes
=== it may pass
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    outdated: true
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    outdated: true
  - /default/Resource/ID/fbae2743271800000003cb7da0a82c80/status
  - /default/Resource/ID/fbae2743271800000004c771e46ad526/status
  ~ /default/Resource/ID/fbae2743271800000005b3fb02f2ff39/status
    outdated: true
  ~ /default/Resource/ID/fbae2743271800000006ce7d3478bd5b/status
    condemned: 1200001
    outdated: true
    pass: 7
    reason: "scale_in"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae27432718000000078c474eec5dda/status
    condemned: 1200001
    outdated: true
    pass: 7
    reason: "scale_in"
    state: "delete"
    answered: (none)
  - /default/Hold/ID/refused/web/status
  ~ /default/Cluster/ID/status
    holds: 0
    machines: {"creating":0,"failed":0,"leaving":2,"outdated":5,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}
    observed: 15
  ~ /default/Job/ID/00000000000000000010/status
    ended: 1760001201000
    state: "superseded"
    supersededBy: "job/15"
  + /default/Job/ID/00000000000000000015/status
    begun: 1760001201000
    by: "ana"
    cluster: "shop"
    groups: [{"batch":1,"canary":0,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":2,"old":3,"outdated":3,"ready":3,"updated":0,"wanted":3}]
    machines: {"creating":0,"leaving":2,"old":3,"outdated":3,"ready":3,"updated":0,"wanted":3}
    problems: []
    revision: 15
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae27432718000000078c474eec5dda/status
    answered: true
  ~ /default/Resource/ID/fbae2743271800000006ce7d3478bd5b/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[8,1,1200001]}
  + /default/Resource/ID/fbae27432718000000086c9777a2035b/status
    created: 1200001
    generation: "d737f7d1c3549b7a"
    group: "web"
    image: "debian-13"
    made: 1760001201000
    pass: 8
    reason: "roll"
    slot: 0
    state: "create"
  - /default/Resource/ID/fbae27432718000000078c474eec5dda/status
  - /default/Resource/ID/fbae2743271800000006ce7d3478bd5b/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":3,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000015/status
    groups: [{"batch":1,"canary":0,"creating":1,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":3,"outdated":3,"ready":3,"updated":0,"wanted":3}]
    machines: {"creating":1,"leaving":0,"old":3,"outdated":3,"ready":3,"updated":0,"wanted":3}

  ~ /default/Resource/ID/fbae27432718000000086c9777a2035b/status
    answered: true
    callAfter: 1200937
    cause: "transient"
    fault: "transient"
    tries: 1

  ~ /default/Job/ID/00000000000000000015/status
    failedNodes: "web-0"
    problems: [{"name":"web-0","text":"refused: a temporary error (transient)","tries":1}]
    state: "waiting"

1231.000 s, 2 done, 1 quiet (3 decided, last at 1201.000 s), 4 lists, 3 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000086c9777a2035b/status
    answered: (none)
  ~ /default/Job/ID/00000000000000000015/status
    state: "running"

  ~ /default/Resource/ID/fbae27432718000000086c9777a2035b/status
    answered: true
    callAfter: 1231062
    tries: 2

  ~ /default/Job/ID/00000000000000000015/status
    problems: [{"name":"web-0","text":"refused: a temporary error (transient)","tries":2}]
    state: "waiting"

1261.000 s, 1 done, 1 quiet (2 decided, last at 1231.000 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000086c9777a2035b/status
    answered: (none)
  ~ /default/Job/ID/00000000000000000015/status
    state: "running"

  ~ /default/Resource/ID/fbae27432718000000086c9777a2035b/status
    answered: true
    callAfter: 1262495
    tries: 3

  ~ /default/Job/ID/00000000000000000015/status
    problems: [{"name":"web-0","text":"refused: a temporary error (transient)","tries":3}]
    state: "waiting"

1291.000 s, 1 done, 1 quiet (2 decided, last at 1261.000 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000086c9777a2035b/status
    answered: (none)
  ~ /default/Job/ID/00000000000000000015/status
    state: "running"

  ~ /default/Resource/ID/fbae27432718000000086c9777a2035b/status
    answered: true
    id: "sim-6"
    callAfter: (none)
    cause: (none)
    fault: (none)
    tries: (none)

  ~ /default/Job/ID/00000000000000000015/status
    problems: []
    failedNodes: (none)

1293.000 s, 1 done, 4 quiet (5 decided, last at 1292.500 s), 5 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000086c9777a2035b/status
    active: 1292001
    pass: 12
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":3,"ready":4,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000015/status
    groups: [{"batch":1,"canary":0,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":3}]
    machines: {"creating":0,"leaving":0,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":3}

1293.500 s, 1 done (1 decided, last at 1293.000 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    condemned: 1292501
    pass: 13
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":3,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000015/status
    groups: [{"batch":1,"canary":0,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":1,"old":2,"outdated":2,"ready":3,"updated":1,"wanted":3}]
    machines: {"creating":0,"leaving":1,"old":2,"outdated":2,"ready":3,"updated":1,"wanted":3}

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[9,1,1292501]}
  + /default/Resource/ID/fbae2743271800000009bdc85e55924d/status
    created: 1292501
    generation: "d737f7d1c3549b7a"
    group: "web"
    image: "debian-13"
    made: 1760001293500
    pass: 14
    reason: "roll"
    slot: 1
    state: "create"
  - /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":2,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000015/status
    groups: [{"batch":1,"canary":0,"creating":1,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":2,"outdated":2,"ready":3,"updated":1,"wanted":3}]
    machines: {"creating":1,"leaving":0,"old":2,"outdated":2,"ready":3,"updated":1,"wanted":3}

  ~ /default/Resource/ID/fbae2743271800000009bdc85e55924d/status
    answered: true
    id: "sim-7"

1295.500 s, 2 done, 4 quiet (6 decided, last at 1295.000 s), 6 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000009bdc85e55924d/status
    active: 1294501
    pass: 15
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":2,"ready":4,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000015/status
    groups: [{"batch":1,"canary":0,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":3}]
    machines: {"creating":0,"leaving":0,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":3}

1296.000 s, 1 done (1 decided, last at 1295.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    condemned: 1295001
    pass: 16
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":2,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000015/status
    groups: [{"batch":1,"canary":0,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":1,"old":1,"outdated":1,"ready":3,"updated":2,"wanted":3}]
    machines: {"creating":0,"leaving":1,"old":1,"outdated":1,"ready":3,"updated":2,"wanted":3}

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[10,1,1295001]}
  + /default/Resource/ID/fbae274327180000000a1ea5bebacb83/status
    created: 1295001
    generation: "d737f7d1c3549b7a"
    group: "web"
    image: "debian-13"
    made: 1760001296000
    pass: 17
    reason: "roll"
    slot: 4
    state: "create"
  - /default/Resource/ID/fbae2743271800000002de820479c4a8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":1,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000015/status
    groups: [{"batch":1,"canary":0,"creating":1,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":1,"outdated":1,"ready":3,"updated":2,"wanted":3}]
    machines: {"creating":1,"leaving":0,"old":1,"outdated":1,"ready":3,"updated":2,"wanted":3}

  ~ /default/Resource/ID/fbae274327180000000a1ea5bebacb83/status
    answered: true
    id: "sim-8"

1298.000 s, 2 done, 4 quiet (6 decided, last at 1297.500 s), 6 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae274327180000000a1ea5bebacb83/status
    active: 1297001
    pass: 18
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":1,"ready":4,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000015/status
    groups: [{"batch":1,"canary":0,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":3}]
    machines: {"creating":0,"leaving":0,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":3}

1298.500 s, 1 done (1 decided, last at 1298.000 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000005b3fb02f2ff39/status
    condemned: 1297501
    pass: 19
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":1,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000015/status
    groups: [{"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":1,"old":0,"ready":3,"updated":3,"wanted":3}]
    machines: {"creating":0,"leaving":1,"old":0,"ready":3,"updated":3,"wanted":3}

  ~ /default/Resource/ID/fbae2743271800000005b3fb02f2ff39/status
    answered: true

  - /default/Resource/ID/fbae2743271800000005b3fb02f2ff39/status
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000015/status
    ended: 1760001298500
    groups: [{"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}
    state: "done"

2401.000 s, 2 done, 37 quiet (4 decided, last at 2383.500 s), 39 lists, 1 other calls, 0 probes
=== not allowed, until an operator says to try again
  ~ /default/Control/ID/status
    series: {"fbae27432718":[11,1,2400001]}
  + /default/Resource/ID/fbae274327180000000b2b0a4655a5d8/status
    created: 2400001
    generation: "d737f7d1c3549b7a"
    group: "web"
    image: "debian-13"
    made: 1760002401000
    pass: 21
    reason: "free_slot"
    slot: 2
    state: "create"
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":4}
    observed: 44
  + /default/Job/ID/00000000000000000044/status
    begun: 1760002401000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":1,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":0,"ready":3,"updated":3,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":4}
    problems: []
    revision: 44
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae274327180000000b2b0a4655a5d8/status
    answered: true
    callAfter: 2430341
    cause: "auth"
    fault: "auth"
    tries: 1

  + /default/Hold/ID/refused/web/status
    cluster: "shop"
    fact: "1 machine: the request is invalid, or the account does not permit it"
    group: "web"
    pass: 22
    rule: "refused"
    since: 1760002401000
    wouldCreate: 1
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1
  ~ /default/Job/ID/00000000000000000044/status
    failedNodes: "web-2"
    problems: [{"name":"web-2","text":"refused: the request is invalid, or not permitted (auth)","tries":1}]
    state: "waiting"
    waits: ["web:refused"]

3001.000 s, 1 done, 20 held (21 decided, last at 2971.000 s), 22 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae274327180000000b2b0a4655a5d8/status
    answered: (none)
  - /default/Hold/ID/refused/web/status
  ~ /default/Cluster/ID/status
    holds: 0
  ~ /default/Job/ID/00000000000000000044/status
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae274327180000000b2b0a4655a5d8/status
    answered: true
    id: "sim-9"
    callAfter: (none)
    cause: (none)
    fault: (none)
    tries: (none)

  ~ /default/Job/ID/00000000000000000044/status
    problems: []
    failedNodes: (none)

3003.000 s, 1 done, 4 quiet (5 decided, last at 3002.500 s), 5 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae274327180000000b2b0a4655a5d8/status
    active: 3002001
    pass: 24
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000044/status
    ended: 1760003003000
    groups: [{"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}
    state: "done"

=== the end
3121.000 s, 1 done, 4 quiet (2 decided, last at 3093.500 s), 4 lists, 0 other calls, 0 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 31000 ended 1293500 stopped 0 reboots 0 at 0 'rolled'
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 31000 ended 1296000 stopped 0 reboots 0 at 0 'rolled'
sim-3 web/4 {"resourcePlugin":"sim"} zone '' labels  made 601000 ended 1298500 stopped 0 reboots 0 at 0 'rolled'
sim-4 web/5 {"resourcePlugin":"sim"} zone '' labels  made 601000 ended 1201000 stopped 0 reboots 0 at 0 'scale_in'
sim-5 web/6 {"resourcePlugin":"sim"} zone '' labels  made 601000 ended 1201000 stopped 0 reboots 0 at 0 'scale_in'
sim-6 web/0 {"image":"debian-13","resourcePlugin":"sim"} zone '' labels  made 1291000 ended 0 stopped 0 reboots 0 at 0 ''
sim-7 web/1 {"image":"debian-13","resourcePlugin":"sim"} zone '' labels  made 1293500 ended 0 stopped 0 reboots 0 at 0 ''
sim-8 web/4 {"image":"debian-13","resourcePlugin":"sim"} zone '' labels  made 1296000 ended 0 stopped 0 reboots 0 at 0 ''
sim-9 web/2 {"image":"debian-13","resourcePlugin":"sim"} zone '' labels  made 3001000 ended 0 stopped 0 reboots 0 at 0 ''
=== events
cluster.created: actor "ana" groups ["web"] sums {"change":0,"create":2,"destroy":0,"groups":1,"nodes":2,"reboot":0,"replace":0}
machine.wanted: fact "size is 2, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 2, 0 recorded" group "web" node "web-1" pass 1 rule "free_slot" slot 1
job.began: fact "job/1"
machine.refused: fact "capacity" group "web" node "web-1" pass 1 rule "free_slot" slot 1
machine.refused: fact "capacity" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.created: group "web" id "sim-2" node "web-1" pass 1 rule "free_slot" slot 1
machine.created: group "web" id "sim-1" node "web-0" pass 1 rule "free_slot" slot 0
machine.ready: fact "sim-1 runs" group "web" id "sim-1" node "web-0" pass 3 rule "activate" slot 0
machine.ready: fact "sim-2 runs" group "web" id "sim-2" node "web-1" pass 3 rule "activate" slot 1
job.done: fact "job/1"
cluster.changed: actor "ana" groups ["web"] sums {"change":0,"create":5,"destroy":0,"groups":1,"nodes":7,"reboot":0,"replace":0}
machine.wanted: fact "size is 7, 2 recorded" group "web" node "web-2" pass 4 rule "free_slot" slot 2
machine.wanted: fact "size is 7, 2 recorded" group "web" node "web-3" pass 4 rule "free_slot" slot 3
machine.wanted: fact "size is 7, 2 recorded" group "web" node "web-4" pass 4 rule "free_slot" slot 4
machine.wanted: fact "size is 7, 2 recorded" group "web" node "web-5" pass 4 rule "free_slot" slot 5
machine.wanted: fact "size is 7, 2 recorded" group "web" node "web-6" pass 4 rule "free_slot" slot 6
job.began: fact "job/10"
machine.created: group "web" id "sim-5" node "web-6" pass 4 rule "free_slot" slot 6
machine.created: group "web" id "sim-4" node "web-5" pass 4 rule "free_slot" slot 5
machine.created: group "web" id "sim-3" node "web-4" pass 4 rule "free_slot" slot 4
machine.refused: fact "invalid" group "web" node "web-3" pass 4 rule "free_slot" slot 3
machine.refused: fact "invalid" group "web" node "web-2" pass 4 rule "free_slot" slot 2
hold.began: fact "2 machines: the request is invalid, or the account does not permit it" group "web" pass 5 rule "refused"
machine.ready: fact "sim-3 runs" group "web" id "sim-3" node "web-4" pass 6 rule "activate" slot 4
machine.ready: fact "sim-4 runs" group "web" id "sim-4" node "web-5" pass 6 rule "activate" slot 5
machine.ready: fact "sim-5 runs" group "web" id "sim-5" node "web-6" pass 6 rule "activate" slot 6
cluster.changed: actor "ana" groups ["web"] sums {"change":0,"create":0,"destroy":4,"groups":1,"nodes":3,"reboot":0,"replace":3}
machine.gone: fact "the create was refused, and the desired specification has changed" group "web" node "web-2" pass 7 rule "refused" slot 2
machine.gone: fact "the create was refused, and the desired specification has changed" group "web" node "web-3" pass 7 rule "refused" slot 3
machine.condemned: fact "size is 3" group "web" id "sim-4" node "web-5" pass 7 rule "scale_in" slot 5
machine.condemned: fact "size is 3" group "web" id "sim-5" node "web-6" pass 7 rule "scale_in" slot 6
hold.ended: group "web" pass 7 rule "refused"
job.began: fact "job/15"
machine.destroyed: group "web" id "sim-5" node "web-6" pass 7 rule "scale_in" slot 6
machine.destroyed: group "web" id "sim-4" node "web-5" pass 7 rule "scale_in" slot 5
machine.wanted: fact "58c2d4f2b51c301b -> d737f7d1c3549b7a" group "web" node "web-0" pass 8 rule "roll" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-5" node "web-6" pass 8 rule "forget" slot 6
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-4" node "web-5" pass 8 rule "forget" slot 5
machine.refused: fact "transient" group "web" node "web-0" pass 8 rule "roll" slot 0
machine.refused: fact "transient" group "web" node "web-0" pass 8 rule "roll" slot 0
machine.refused: fact "transient" group "web" node "web-0" pass 8 rule "roll" slot 0
machine.created: group "web" id "sim-6" node "web-0" pass 8 rule "roll" slot 0
machine.ready: fact "sim-6 runs" group "web" id "sim-6" node "web-0" pass 12 rule "activate" slot 0
machine.condemned: fact "sim-6 is in service" group "web" id "sim-1" node "web-0" pass 13 rule "rolled" slot 0
machine.destroyed: group "web" id "sim-1" node "web-0" pass 13 rule "rolled" slot 0
machine.wanted: fact "58c2d4f2b51c301b -> d737f7d1c3549b7a" group "web" node "web-1" pass 14 rule "roll" slot 1
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-1" node "web-0" pass 14 rule "forget" slot 0
machine.created: group "web" id "sim-7" node "web-1" pass 14 rule "roll" slot 1
machine.ready: fact "sim-7 runs" group "web" id "sim-7" node "web-1" pass 15 rule "activate" slot 1
machine.condemned: fact "sim-7 is in service" group "web" id "sim-2" node "web-1" pass 16 rule "rolled" slot 1
machine.destroyed: group "web" id "sim-2" node "web-1" pass 16 rule "rolled" slot 1
machine.wanted: fact "58c2d4f2b51c301b -> d737f7d1c3549b7a" group "web" node "web-4" pass 17 rule "roll" slot 4
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-2" node "web-1" pass 17 rule "forget" slot 1
machine.created: group "web" id "sim-8" node "web-4" pass 17 rule "roll" slot 4
machine.ready: fact "sim-8 runs" group "web" id "sim-8" node "web-4" pass 18 rule "activate" slot 4
machine.condemned: fact "sim-8 is in service" group "web" id "sim-3" node "web-4" pass 19 rule "rolled" slot 4
machine.destroyed: group "web" id "sim-3" node "web-4" pass 19 rule "rolled" slot 4
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-3" node "web-4" pass 20 rule "forget" slot 4
job.done: fact "job/15"
cluster.changed: actor "ana" groups ["web"] sums {"change":0,"create":1,"destroy":0,"groups":1,"nodes":4,"reboot":0,"replace":0}
machine.wanted: fact "size is 4, 3 recorded" group "web" node "web-2" pass 21 rule "free_slot" slot 2
job.began: fact "job/44"
machine.refused: fact "auth" group "web" node "web-2" pass 21 rule "free_slot" slot 2
hold.began: fact "1 machine: the request is invalid, or the account does not permit it" group "web" pass 22 rule "refused"
cluster.retried: actor "ana"
hold.ended: group "web" pass 23 rule "refused"
machine.created: group "web" id "sim-9" node "web-2" pass 21 rule "free_slot" slot 2
machine.ready: fact "sim-9 runs" group "web" id "sim-9" node "web-2" pass 24 rule "activate" slot 2
job.done: fact "job/44"
