1.000 s (0 decided, last at 0.000 s), 0 lists, 0 other calls, 0 probes
  + /default/Lease/ID/status
    ahead: -999
    clock: "lab"
    session: "life-1"

  + /default/Control/ID/status
    series: {"fbae27432718":[5,1,1]}
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
  + /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 4
    state: "create"
  + /default/Cluster/ID/status
    holds: 0
    machines: {"creating":5,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":5}
    observed: 1
  + /default/Job/ID/00000000000000000001/status
    begun: 1760000001000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":5,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":5}]
    machines: {"creating":5,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":5}
    problems: []
    revision: 1
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true
    id: "sim-5"
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

3.000 s, 1 done, 4 quiet (5 decided, last at 2.500 s), 6 lists, 5 other calls, 0 probes
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
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    active: 2001
    pass: 2
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000001/status
    ended: 1760000003000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":5,"updated":5,"wanted":5}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":5,"updated":5,"wanted":5}
    state: "done"

61.000 s, 1 done, 2 quiet (2 decided, last at 33.500 s), 3 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    series: {"fbae27432718":[7,1,60001]}
  + /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    created: 60001
    generation: "d737f7d1c3549b7a"
    group: "web"
    image: "debian-13"
    made: 1760000061000
    pass: 3
    reason: "roll"
    slot: 0
    state: "create"
  + /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    created: 60001
    generation: "d737f7d1c3549b7a"
    group: "web"
    image: "debian-13"
    made: 1760000061000
    pass: 3
    reason: "roll"
    slot: 1
    state: "create"
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    outdated: true
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    outdated: true
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    outdated: true
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    outdated: true
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    outdated: true
  ~ /default/Cluster/ID/status
    machines: {"creating":2,"failed":0,"leaving":0,"outdated":5,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}
    observed: 6
  + /default/Job/ID/00000000000000000006/status
    begun: 1760000061000
    by: "ana"
    cluster: "shop"
    groups: [{"batch":2,"canary":0,"creating":2,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":5,"outdated":5,"ready":5,"updated":0,"wanted":5}]
    machines: {"creating":2,"leaving":0,"old":5,"outdated":5,"ready":5,"updated":0,"wanted":5}
    problems: []
    revision: 6
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    answered: true
    id: "sim-7"
  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    answered: true
    id: "sim-6"

63.000 s, 1 done, 4 quiet (5 decided, last at 62.500 s), 5 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    active: 62001
    pass: 4
    state: "active"
  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    active: 62001
    pass: 4
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":5,"ready":7,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"batch":2,"canary":0,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":5,"outdated":5,"ready":7,"updated":2,"wanted":5}]
    machines: {"creating":0,"leaving":0,"old":5,"outdated":5,"ready":7,"updated":2,"wanted":5}

63.500 s, 1 done (1 decided, last at 63.000 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    condemned: 62501
    pass: 5
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    condemned: 62501
    pass: 5
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    condemned: 62501
    pass: 5
    reason: "roll"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":3,"outdated":5,"ready":4,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"batch":2,"canary":0,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":3,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":5}]
    machines: {"creating":0,"leaving":3,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":5}

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[8,1,62501]}
  + /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    created: 62501
    generation: "d737f7d1c3549b7a"
    group: "web"
    image: "debian-13"
    made: 1760000063500
    pass: 6
    reason: "free_slot"
    slot: 2
    state: "create"
  - /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
  - /default/Resource/ID/fbae2743271800000002de820479c4a8/status
  - /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":2,"ready":4,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"batch":2,"canary":0,"creating":1,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":5}]
    machines: {"creating":1,"leaving":0,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":5}

  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    answered: true
    id: "sim-8"

  ~ /default/Control/ID/status
    series: {"fbae27432718":[9,1,62501]}
  + /default/Resource/ID/fbae27432718000000095ddad54ef4c3/status
    created: 62501
    generation: "d737f7d1c3549b7a"
    group: "web"
    image: "debian-13"
    made: 1760000063500
    pass: 7
    reason: "roll"
    slot: 3
    state: "create"
  ~ /default/Cluster/ID/status
    machines: {"creating":2,"failed":0,"leaving":0,"outdated":2,"ready":4,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"batch":2,"canary":0,"creating":2,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":5}]
    machines: {"creating":2,"leaving":0,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":5}

  ~ /default/Resource/ID/fbae27432718000000095ddad54ef4c3/status
    answered: true
    id: "sim-9"

65.500 s, 3 done, 4 quiet (7 decided, last at 65.000 s), 7 lists, 5 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    active: 64501
    pass: 8
    state: "active"
  ~ /default/Resource/ID/fbae27432718000000095ddad54ef4c3/status
    active: 64501
    pass: 8
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":2,"ready":6,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"batch":2,"canary":0,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":2,"outdated":2,"ready":6,"updated":4,"wanted":5}]
    machines: {"creating":0,"leaving":0,"old":2,"outdated":2,"ready":6,"updated":4,"wanted":5}

66.000 s, 1 done (1 decided, last at 65.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    series: {"fbae27432718":[10,1,65001]}
  + /default/Resource/ID/fbae274327180000000a1ae5e4a46c97/status
    created: 65001
    generation: "d737f7d1c3549b7a"
    group: "web"
    image: "debian-13"
    made: 1760000066000
    pass: 9
    reason: "roll"
    slot: 4
    state: "create"
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    condemned: 65001
    pass: 9
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":1,"outdated":2,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"batch":2,"canary":0,"creating":1,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":1,"old":1,"outdated":1,"ready":5,"updated":4,"wanted":5}]
    machines: {"creating":1,"leaving":1,"old":1,"outdated":1,"ready":5,"updated":4,"wanted":5}

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true
  ~ /default/Resource/ID/fbae274327180000000a1ae5e4a46c97/status
    answered: true
    id: "sim-10"

  - /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":1,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"batch":2,"canary":0,"creating":1,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":1,"outdated":1,"ready":5,"updated":4,"wanted":5}]
    machines: {"creating":1,"leaving":0,"old":1,"outdated":1,"ready":5,"updated":4,"wanted":5}

68.000 s, 2 done, 3 quiet (5 decided, last at 67.500 s), 5 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae274327180000000a1ae5e4a46c97/status
    active: 67001
    pass: 11
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":1,"ready":6,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"batch":2,"canary":0,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":1,"outdated":1,"ready":6,"updated":5,"wanted":5}]
    machines: {"creating":0,"leaving":0,"old":1,"outdated":1,"ready":6,"updated":5,"wanted":5}

68.500 s, 1 done (1 decided, last at 68.000 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    condemned: 67501
    pass: 12
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":1,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":1,"old":0,"ready":5,"updated":5,"wanted":5}]
    machines: {"creating":0,"leaving":1,"old":0,"ready":5,"updated":5,"wanted":5}

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true

  - /default/Resource/ID/fbae27432718000000052c80c771e46a/status
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000006/status
    ended: 1760000068500
    groups: [{"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":0,"ready":5,"updated":5,"wanted":5}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":5,"updated":5,"wanted":5}
    state: "done"

101.000 s, 2 done, 1 quiet (3 decided, last at 73.500 s), 2 lists, 1 other calls, 0 probes
=== paused
=== the change: taken
401.000 s, 10 quiet (1 decided, last at 371.000 s), 10 lists, 0 other calls, 0 probes
=== resumed
=== the change: taken
431.000 s, 1 quiet (1 decided, last at 401.000 s), 1 lists, 0 other calls, 0 probes
=== aborted
=== the change: no rollout of nodegroup 'shop/web' is running: there is nothing to abort
1631.000 s, 40 quiet (1 decided, last at 1601.000 s), 41 lists, 0 other calls, 0 probes
=== undone
=== the change: nodegroup 'shop/web' is neither paused nor aborted in its rollout
  ~ /default/Control/ID/status
    series: {"fbae27432718":[11,1,1630001]}
  + /default/Resource/ID/fbae274327180000000b77a2035ba595/status
    created: 1630001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760001631000
    pass: 14
    reason: "roll"
    slot: 0
    state: "create"
  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    outdated: true
  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    outdated: true
  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    outdated: true
  ~ /default/Resource/ID/fbae274327180000000a1ae5e4a46c97/status
    outdated: true
  ~ /default/Resource/ID/fbae27432718000000095ddad54ef4c3/status
    outdated: true
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":5,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}
    observed: 26
  + /default/Job/ID/00000000000000000026/status
    begun: 1760001631000
    by: "ana"
    cluster: "shop"
    groups: [{"batch":1,"canary":0,"creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":5,"outdated":5,"ready":5,"updated":0,"wanted":5}]
    machines: {"creating":1,"leaving":0,"old":5,"outdated":5,"ready":5,"updated":0,"wanted":5}
    problems: []
    revision: 26
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae274327180000000b77a2035ba595/status
    answered: true
    id: "sim-11"

1633.000 s, 1 done, 4 quiet (5 decided, last at 1632.500 s), 6 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae274327180000000b77a2035ba595/status
    active: 1632001
    pass: 15
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":5,"ready":6,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000026/status
    groups: [{"batch":1,"canary":0,"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":5,"outdated":5,"ready":6,"updated":1,"wanted":5}]
    machines: {"creating":0,"leaving":0,"old":5,"outdated":5,"ready":6,"updated":1,"wanted":5}

1633.500 s, 1 done (1 decided, last at 1633.000 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    condemned: 1632501
    pass: 16
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":5,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000026/status
    groups: [{"batch":1,"canary":0,"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":1,"old":4,"outdated":4,"ready":5,"updated":1,"wanted":5}]
    machines: {"creating":0,"leaving":1,"old":4,"outdated":4,"ready":5,"updated":1,"wanted":5}

  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[12,1,1632501]}
  + /default/Resource/ID/fbae274327180000000c64dfe452be0f/status
    created: 1632501
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760001633500
    pass: 17
    reason: "roll"
    slot: 1
    state: "create"
  - /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":4,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000026/status
    groups: [{"batch":1,"canary":0,"creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":4,"outdated":4,"ready":5,"updated":1,"wanted":5}]
    machines: {"creating":1,"leaving":0,"old":4,"outdated":4,"ready":5,"updated":1,"wanted":5}

  ~ /default/Resource/ID/fbae274327180000000c64dfe452be0f/status
    answered: true
    id: "sim-12"

1635.500 s, 2 done, 4 quiet (6 decided, last at 1635.000 s), 6 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae274327180000000c64dfe452be0f/status
    active: 1634501
    pass: 18
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":4,"ready":6,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000026/status
    groups: [{"batch":1,"canary":0,"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":4,"outdated":4,"ready":6,"updated":2,"wanted":5}]
    machines: {"creating":0,"leaving":0,"old":4,"outdated":4,"ready":6,"updated":2,"wanted":5}

1636.000 s, 1 done (1 decided, last at 1635.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    condemned: 1635001
    pass: 19
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":4,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000026/status
    groups: [{"batch":1,"canary":0,"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":1,"old":3,"outdated":3,"ready":5,"updated":2,"wanted":5}]
    machines: {"creating":0,"leaving":1,"old":3,"outdated":3,"ready":5,"updated":2,"wanted":5}

  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[13,1,1635001]}
  + /default/Resource/ID/fbae274327180000000d3fdb453fbdc8/status
    created: 1635001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760001636000
    pass: 20
    reason: "roll"
    slot: 2
    state: "create"
  - /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":3,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000026/status
    groups: [{"batch":1,"canary":0,"creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":3,"outdated":3,"ready":5,"updated":2,"wanted":5}]
    machines: {"creating":1,"leaving":0,"old":3,"outdated":3,"ready":5,"updated":2,"wanted":5}

  ~ /default/Resource/ID/fbae274327180000000d3fdb453fbdc8/status
    answered: true
    id: "sim-13"

1638.000 s, 2 done, 4 quiet (6 decided, last at 1637.500 s), 6 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae274327180000000d3fdb453fbdc8/status
    active: 1637001
    pass: 21
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":3,"ready":6,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000026/status
    groups: [{"batch":1,"canary":0,"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":3,"outdated":3,"ready":6,"updated":3,"wanted":5}]
    machines: {"creating":0,"leaving":0,"old":3,"outdated":3,"ready":6,"updated":3,"wanted":5}

1638.500 s, 1 done (1 decided, last at 1638.000 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    condemned: 1637501
    pass: 22
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":3,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000026/status
    groups: [{"batch":1,"canary":0,"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":1,"old":2,"outdated":2,"ready":5,"updated":3,"wanted":5}]
    machines: {"creating":0,"leaving":1,"old":2,"outdated":2,"ready":5,"updated":3,"wanted":5}

  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[14,1,1637501]}
  + /default/Resource/ID/fbae274327180000000e5e55924d1ea5/status
    created: 1637501
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760001638500
    pass: 23
    reason: "roll"
    slot: 3
    state: "create"
  - /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":2,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000026/status
    groups: [{"batch":1,"canary":0,"creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":2,"outdated":2,"ready":5,"updated":3,"wanted":5}]
    machines: {"creating":1,"leaving":0,"old":2,"outdated":2,"ready":5,"updated":3,"wanted":5}

  ~ /default/Resource/ID/fbae274327180000000e5e55924d1ea5/status
    answered: true
    id: "sim-14"

1640.500 s, 2 done, 4 quiet (6 decided, last at 1640.000 s), 6 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae274327180000000e5e55924d1ea5/status
    active: 1639501
    pass: 24
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":2,"ready":6,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000026/status
    groups: [{"batch":1,"canary":0,"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":2,"outdated":2,"ready":6,"updated":4,"wanted":5}]
    machines: {"creating":0,"leaving":0,"old":2,"outdated":2,"ready":6,"updated":4,"wanted":5}

1641.000 s, 1 done (1 decided, last at 1640.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000095ddad54ef4c3/status
    condemned: 1640001
    pass: 25
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":2,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000026/status
    groups: [{"batch":1,"canary":0,"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":1,"old":1,"outdated":1,"ready":5,"updated":4,"wanted":5}]
    machines: {"creating":0,"leaving":1,"old":1,"outdated":1,"ready":5,"updated":4,"wanted":5}

  ~ /default/Resource/ID/fbae27432718000000095ddad54ef4c3/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[15,1,1640001]}
  + /default/Resource/ID/fbae274327180000000fbebacb832b0a/status
    created: 1640001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760001641000
    pass: 26
    reason: "roll"
    slot: 4
    state: "create"
  - /default/Resource/ID/fbae27432718000000095ddad54ef4c3/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":1,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000026/status
    groups: [{"batch":1,"canary":0,"creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":1,"outdated":1,"ready":5,"updated":4,"wanted":5}]
    machines: {"creating":1,"leaving":0,"old":1,"outdated":1,"ready":5,"updated":4,"wanted":5}

  ~ /default/Resource/ID/fbae274327180000000fbebacb832b0a/status
    answered: true
    id: "sim-15"

1643.000 s, 2 done, 4 quiet (6 decided, last at 1642.500 s), 6 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae274327180000000fbebacb832b0a/status
    active: 1642001
    pass: 27
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":1,"ready":6,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000026/status
    groups: [{"batch":1,"canary":0,"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":1,"outdated":1,"ready":6,"updated":5,"wanted":5}]
    machines: {"creating":0,"leaving":0,"old":1,"outdated":1,"ready":6,"updated":5,"wanted":5}

1643.500 s, 1 done (1 decided, last at 1643.000 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae274327180000000a1ae5e4a46c97/status
    condemned: 1642501
    pass: 28
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":1,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000026/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":1,"old":0,"ready":5,"updated":5,"wanted":5}]
    machines: {"creating":0,"leaving":1,"old":0,"ready":5,"updated":5,"wanted":5}

  ~ /default/Resource/ID/fbae274327180000000a1ae5e4a46c97/status
    answered: true

  - /default/Resource/ID/fbae274327180000000a1ae5e4a46c97/status
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000026/status
    ended: 1760001643500
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":5,"updated":5,"wanted":5}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":5,"updated":5,"wanted":5}
    state: "done"

=== the end
2831.000 s, 2 done, 40 quiet (4 decided, last at 2818.500 s), 42 lists, 1 other calls, 0 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 63500 stopped 0 reboots 0 at 0 'rolled'
sim-10 web/4 {"image":"debian-13","resourcePlugin":"sim"} zone '' labels  made 66000 ended 1643500 stopped 0 reboots 0 at 0 'rolled'
sim-11 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1631000 ended 0 stopped 0 reboots 0 at 0 ''
sim-12 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1633500 ended 0 stopped 0 reboots 0 at 0 ''
sim-13 web/2 {"resourcePlugin":"sim"} zone '' labels  made 1636000 ended 0 stopped 0 reboots 0 at 0 ''
sim-14 web/3 {"resourcePlugin":"sim"} zone '' labels  made 1638500 ended 0 stopped 0 reboots 0 at 0 ''
sim-15 web/4 {"resourcePlugin":"sim"} zone '' labels  made 1641000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 63500 stopped 0 reboots 0 at 0 'rolled'
sim-3 web/2 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 63500 stopped 0 reboots 0 at 0 'roll'
sim-4 web/3 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 66000 stopped 0 reboots 0 at 0 'rolled'
sim-5 web/4 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 68500 stopped 0 reboots 0 at 0 'rolled'
sim-6 web/0 {"image":"debian-13","resourcePlugin":"sim"} zone '' labels  made 61000 ended 1633500 stopped 0 reboots 0 at 0 'rolled'
sim-7 web/1 {"image":"debian-13","resourcePlugin":"sim"} zone '' labels  made 61000 ended 1636000 stopped 0 reboots 0 at 0 'rolled'
sim-8 web/2 {"image":"debian-13","resourcePlugin":"sim"} zone '' labels  made 63500 ended 1638500 stopped 0 reboots 0 at 0 'rolled'
sim-9 web/3 {"image":"debian-13","resourcePlugin":"sim"} zone '' labels  made 63500 ended 1641000 stopped 0 reboots 0 at 0 'rolled'
=== events
cluster.created: actor "ana" groups ["web"] sums {"change":0,"create":5,"destroy":0,"groups":1,"nodes":5,"reboot":0,"replace":0}
machine.wanted: fact "size is 5, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 5, 0 recorded" group "web" node "web-1" pass 1 rule "free_slot" slot 1
machine.wanted: fact "size is 5, 0 recorded" group "web" node "web-2" pass 1 rule "free_slot" slot 2
machine.wanted: fact "size is 5, 0 recorded" group "web" node "web-3" pass 1 rule "free_slot" slot 3
machine.wanted: fact "size is 5, 0 recorded" group "web" node "web-4" pass 1 rule "free_slot" slot 4
job.began: fact "job/1"
machine.created: group "web" id "sim-5" node "web-4" pass 1 rule "free_slot" slot 4
machine.created: group "web" id "sim-4" node "web-3" pass 1 rule "free_slot" slot 3
machine.created: group "web" id "sim-3" node "web-2" pass 1 rule "free_slot" slot 2
machine.created: group "web" id "sim-2" node "web-1" pass 1 rule "free_slot" slot 1
machine.created: group "web" id "sim-1" node "web-0" pass 1 rule "free_slot" slot 0
machine.ready: fact "sim-1 runs" group "web" id "sim-1" node "web-0" pass 2 rule "activate" slot 0
machine.ready: fact "sim-2 runs" group "web" id "sim-2" node "web-1" pass 2 rule "activate" slot 1
machine.ready: fact "sim-3 runs" group "web" id "sim-3" node "web-2" pass 2 rule "activate" slot 2
machine.ready: fact "sim-4 runs" group "web" id "sim-4" node "web-3" pass 2 rule "activate" slot 3
machine.ready: fact "sim-5 runs" group "web" id "sim-5" node "web-4" pass 2 rule "activate" slot 4
job.done: fact "job/1"
cluster.changed: actor "ana" groups ["web"] sums {"change":0,"create":0,"destroy":0,"groups":1,"nodes":5,"reboot":0,"replace":5}
machine.wanted: fact "58c2d4f2b51c301b -> d737f7d1c3549b7a" group "web" node "web-0" pass 3 rule "roll" slot 0
machine.wanted: fact "58c2d4f2b51c301b -> d737f7d1c3549b7a" group "web" node "web-1" pass 3 rule "roll" slot 1
job.began: fact "job/6"
machine.created: group "web" id "sim-7" node "web-1" pass 3 rule "roll" slot 1
machine.created: group "web" id "sim-6" node "web-0" pass 3 rule "roll" slot 0
machine.ready: fact "sim-6 runs" group "web" id "sim-6" node "web-0" pass 4 rule "activate" slot 0
machine.ready: fact "sim-7 runs" group "web" id "sim-7" node "web-1" pass 4 rule "activate" slot 1
machine.condemned: fact "sim-6 is in service" group "web" id "sim-1" node "web-0" pass 5 rule "rolled" slot 0
machine.condemned: fact "sim-7 is in service" group "web" id "sim-2" node "web-1" pass 5 rule "rolled" slot 1
machine.condemned: fact "58c2d4f2b51c301b -> d737f7d1c3549b7a" group "web" id "sim-3" node "web-2" pass 5 rule "roll" slot 2
machine.destroyed: group "web" id "sim-3" node "web-2" pass 5 rule "roll" slot 2
machine.destroyed: group "web" id "sim-2" node "web-1" pass 5 rule "rolled" slot 1
machine.destroyed: group "web" id "sim-1" node "web-0" pass 5 rule "rolled" slot 0
machine.wanted: fact "size is 5, 4 recorded" group "web" node "web-2" pass 6 rule "free_slot" slot 2
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-1" node "web-0" pass 6 rule "forget" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-2" node "web-1" pass 6 rule "forget" slot 1
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-3" node "web-2" pass 6 rule "forget" slot 2
machine.created: group "web" id "sim-8" node "web-2" pass 6 rule "free_slot" slot 2
machine.wanted: fact "58c2d4f2b51c301b -> d737f7d1c3549b7a" group "web" node "web-3" pass 7 rule "roll" slot 3
machine.created: group "web" id "sim-9" node "web-3" pass 7 rule "roll" slot 3
machine.ready: fact "sim-8 runs" group "web" id "sim-8" node "web-2" pass 8 rule "activate" slot 2
machine.ready: fact "sim-9 runs" group "web" id "sim-9" node "web-3" pass 8 rule "activate" slot 3
machine.wanted: fact "58c2d4f2b51c301b -> d737f7d1c3549b7a" group "web" node "web-4" pass 9 rule "roll" slot 4
machine.condemned: fact "sim-9 is in service" group "web" id "sim-4" node "web-3" pass 9 rule "rolled" slot 3
machine.destroyed: group "web" id "sim-4" node "web-3" pass 9 rule "rolled" slot 3
machine.created: group "web" id "sim-10" node "web-4" pass 9 rule "roll" slot 4
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-4" node "web-3" pass 10 rule "forget" slot 3
machine.ready: fact "sim-10 runs" group "web" id "sim-10" node "web-4" pass 11 rule "activate" slot 4
machine.condemned: fact "sim-10 is in service" group "web" id "sim-5" node "web-4" pass 12 rule "rolled" slot 4
machine.destroyed: group "web" id "sim-5" node "web-4" pass 12 rule "rolled" slot 4
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-5" node "web-4" pass 13 rule "forget" slot 4
job.done: fact "job/6"
nodegroup.rollout.paused: actor "ana" group "web"
nodegroup.rollout.resumed: actor "ana" group "web"
cluster.changed: actor "ana" groups ["web"] sums {"change":0,"create":0,"destroy":0,"groups":1,"nodes":5,"reboot":0,"replace":5}
machine.wanted: fact "d737f7d1c3549b7a -> 58c2d4f2b51c301b" group "web" node "web-0" pass 14 rule "roll" slot 0
job.began: fact "job/26"
machine.created: group "web" id "sim-11" node "web-0" pass 14 rule "roll" slot 0
machine.ready: fact "sim-11 runs" group "web" id "sim-11" node "web-0" pass 15 rule "activate" slot 0
machine.condemned: fact "sim-11 is in service" group "web" id "sim-6" node "web-0" pass 16 rule "rolled" slot 0
machine.destroyed: group "web" id "sim-6" node "web-0" pass 16 rule "rolled" slot 0
machine.wanted: fact "d737f7d1c3549b7a -> 58c2d4f2b51c301b" group "web" node "web-1" pass 17 rule "roll" slot 1
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-6" node "web-0" pass 17 rule "forget" slot 0
machine.created: group "web" id "sim-12" node "web-1" pass 17 rule "roll" slot 1
machine.ready: fact "sim-12 runs" group "web" id "sim-12" node "web-1" pass 18 rule "activate" slot 1
machine.condemned: fact "sim-12 is in service" group "web" id "sim-7" node "web-1" pass 19 rule "rolled" slot 1
machine.destroyed: group "web" id "sim-7" node "web-1" pass 19 rule "rolled" slot 1
machine.wanted: fact "d737f7d1c3549b7a -> 58c2d4f2b51c301b" group "web" node "web-2" pass 20 rule "roll" slot 2
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-7" node "web-1" pass 20 rule "forget" slot 1
machine.created: group "web" id "sim-13" node "web-2" pass 20 rule "roll" slot 2
machine.ready: fact "sim-13 runs" group "web" id "sim-13" node "web-2" pass 21 rule "activate" slot 2
machine.condemned: fact "sim-13 is in service" group "web" id "sim-8" node "web-2" pass 22 rule "rolled" slot 2
machine.destroyed: group "web" id "sim-8" node "web-2" pass 22 rule "rolled" slot 2
machine.wanted: fact "d737f7d1c3549b7a -> 58c2d4f2b51c301b" group "web" node "web-3" pass 23 rule "roll" slot 3
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-8" node "web-2" pass 23 rule "forget" slot 2
machine.created: group "web" id "sim-14" node "web-3" pass 23 rule "roll" slot 3
machine.ready: fact "sim-14 runs" group "web" id "sim-14" node "web-3" pass 24 rule "activate" slot 3
machine.condemned: fact "sim-14 is in service" group "web" id "sim-9" node "web-3" pass 25 rule "rolled" slot 3
machine.destroyed: group "web" id "sim-9" node "web-3" pass 25 rule "rolled" slot 3
machine.wanted: fact "d737f7d1c3549b7a -> 58c2d4f2b51c301b" group "web" node "web-4" pass 26 rule "roll" slot 4
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-9" node "web-3" pass 26 rule "forget" slot 3
machine.created: group "web" id "sim-15" node "web-4" pass 26 rule "roll" slot 4
machine.ready: fact "sim-15 runs" group "web" id "sim-15" node "web-4" pass 27 rule "activate" slot 4
machine.condemned: fact "sim-15 is in service" group "web" id "sim-10" node "web-4" pass 28 rule "rolled" slot 4
machine.destroyed: group "web" id "sim-10" node "web-4" pass 28 rule "rolled" slot 4
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-10" node "web-4" pass 29 rule "forget" slot 4
job.done: fact "job/26"
