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
=== another image, one canary that bakes for 10 minutes
  ~ /default/Control/ID/status
    series: {"fbae27432718":[5,1,60001]}
  + /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    created: 60001
    generation: "d737f7d1c3549b7a"
    group: "web"
    image: "debian-13"
    made: 1760000061000
    pass: 3
    reason: "roll"
    slot: 0
    state: "create"
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    outdated: true
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    outdated: true
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    outdated: true
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    outdated: true
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":4,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
    observed: 6
  + /default/Job/ID/00000000000000000006/status
    begun: 1760000061000
    by: "ana"
    cluster: "shop"
    groups: [{"batch":2,"canary":1,"creating":1,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":4,"outdated":4,"ready":4,"updated":0,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":4,"outdated":4,"ready":4,"updated":0,"wanted":4}
    problems: []
    revision: 6
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true
    id: "sim-5"

63.000 s, 1 done, 4 quiet (5 decided, last at 62.500 s), 6 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    active: 62001
    pass: 4
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":4,"ready":5,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"batch":2,"canary":1,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":4,"outdated":4,"ready":5,"updated":1,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":4,"outdated":4,"ready":5,"updated":1,"wanted":4}

63.500 s, 1 done (1 decided, last at 63.000 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    condemned: 62501
    pass: 5
    reason: "rolled"
    state: "delete"
    answered: (none)
  + /default/Hold/ID/bake/web/status
    cluster: "shop"
    fact: "for 600 s"
    group: "web"
    pass: 5
    rule: "bake"
    since: 1760000063500
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":4,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"batch":2,"canary":1,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":1,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}]
    machines: {"creating":0,"leaving":1,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}
    waits: ["web:bake"]

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true

  - /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":3,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"batch":2,"canary":1,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}
    state: "waiting"

361.000 s, 2 done, 10 held (12 decided, last at 338.500 s), 11 lists, 1 other calls, 0 probes
=== paused while it bakes
  + /default/Hold/ID/paused/web/status
    cluster: "shop"
    fact: "observation continues"
    group: "web"
    pass: 7
    rule: "paused"
    since: 1760000361000
    wouldCreate: 0
    wouldDestroy: 0
  - /default/Hold/ID/bake/web/status
  ~ /default/Job/ID/00000000000000000006/status
    state: "paused"
    waits: ["web:paused"]

961.000 s, 20 held (20 decided, last at 931.000 s), 20 lists, 0 other calls, 0 probes
=== resumed
  ~ /default/Control/ID/status
    series: {"fbae27432718":[6,1,960001]}
  + /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    created: 960001
    generation: "d737f7d1c3549b7a"
    group: "web"
    image: "debian-13"
    made: 1760000961000
    pass: 8
    reason: "roll"
    slot: 1
    state: "create"
  - /default/Hold/ID/paused/web/status
  ~ /default/Cluster/ID/status
    holds: 0
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":3,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"batch":2,"canary":1,"creating":1,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    answered: true
    id: "sim-6"

963.000 s, 1 done, 4 quiet (5 decided, last at 962.500 s), 6 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    active: 962001
    pass: 9
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":3,"ready":5,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"batch":2,"canary":1,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":3,"outdated":3,"ready":5,"updated":2,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":3,"outdated":3,"ready":5,"updated":2,"wanted":4}

963.500 s, 1 done (1 decided, last at 963.000 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    condemned: 962501
    pass: 10
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":3,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"batch":2,"canary":1,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":1,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":4}]
    machines: {"creating":0,"leaving":1,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":4}

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[7,1,962501]}
  + /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    created: 962501
    generation: "d737f7d1c3549b7a"
    group: "web"
    image: "debian-13"
    made: 1760000963500
    pass: 11
    reason: "roll"
    slot: 2
    state: "create"
  - /default/Resource/ID/fbae2743271800000002de820479c4a8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":2,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"batch":2,"canary":1,"creating":1,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":4}

  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    answered: true
    id: "sim-7"

965.500 s, 2 done, 4 quiet (6 decided, last at 965.000 s), 6 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    active: 964501
    pass: 12
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":2,"ready":5,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"batch":2,"canary":1,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":2,"outdated":2,"ready":5,"updated":3,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":2,"outdated":2,"ready":5,"updated":3,"wanted":4}

966.000 s, 1 done (1 decided, last at 965.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    condemned: 965001
    pass: 13
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":2,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"batch":2,"canary":1,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":1,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":4}]
    machines: {"creating":0,"leaving":1,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":4}

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[8,1,965001]}
  + /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    created: 965001
    generation: "d737f7d1c3549b7a"
    group: "web"
    image: "debian-13"
    made: 1760000966000
    pass: 14
    reason: "roll"
    slot: 3
    state: "create"
  - /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":1,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"batch":2,"canary":1,"creating":1,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":4}

  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    answered: true
    id: "sim-8"

968.000 s, 2 done, 4 quiet (6 decided, last at 967.500 s), 6 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    active: 967001
    pass: 15
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":1,"ready":5,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"batch":2,"canary":1,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":1,"outdated":1,"ready":5,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":1,"outdated":1,"ready":5,"updated":4,"wanted":4}

968.500 s, 1 done (1 decided, last at 968.000 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    condemned: 967501
    pass: 16
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":1,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":1,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":1,"old":0,"ready":4,"updated":4,"wanted":4}

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true

  - /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    ended: 1760000968500
    groups: [{"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}
    state: "done"

2161.000 s, 2 done, 40 quiet (4 decided, last at 2143.500 s), 42 lists, 1 other calls, 0 probes
=== labels and another image, whose canary stops
  ~ /default/Control/ID/status
    series: {"fbae27432718":[9,1,2160001]}
  + /default/Resource/ID/fbae27432718000000095ddad54ef4c3/status
    created: 2160001
    generation: "ea0f74d3f9f98a4d"
    group: "web"
    image: "debian-14"
    labels: "8aad4fbc56a6cfbd"
    made: 1760002161000
    pass: 18
    reason: "roll"
    slot: 0
    state: "create"
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    outdated: true
  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    outdated: true
  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    outdated: true
  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    outdated: true
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":4,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
    observed: 32
  + /default/Job/ID/00000000000000000032/status
    begun: 1760002161000
    by: "ana"
    cluster: "shop"
    groups: [{"batch":1,"canary":1,"creating":1,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":0,"old":4,"outdated":4,"ready":4,"updated":0,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":4,"outdated":4,"ready":4,"updated":0,"wanted":4}
    problems: []
    revision: 32
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    labels: "8aad4fbc56a6cfbd"
  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    labels: "8aad4fbc56a6cfbd"
  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    labels: "8aad4fbc56a6cfbd"
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    labels: "8aad4fbc56a6cfbd"
  ~ /default/Resource/ID/fbae27432718000000095ddad54ef4c3/status
    answered: true
    id: "sim-9"

2163.000 s, 1 done, 4 quiet (5 decided, last at 2162.500 s), 6 lists, 5 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000095ddad54ef4c3/status
    active: 2162001
    pass: 19
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":4,"ready":5,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000032/status
    groups: [{"batch":1,"canary":1,"creating":0,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":0,"old":4,"outdated":4,"ready":5,"updated":1,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":4,"outdated":4,"ready":5,"updated":1,"wanted":4}

2163.500 s, 1 done (1 decided, last at 2163.000 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    condemned: 2162501
    pass: 20
    reason: "rolled"
    state: "delete"
    answered: (none)
  + /default/Hold/ID/bake/web/status
    cluster: "shop"
    fact: "for 600 s"
    group: "web"
    pass: 20
    rule: "bake"
    since: 1760002163500
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":4,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000032/status
    groups: [{"batch":1,"canary":1,"creating":0,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":1,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}]
    machines: {"creating":0,"leaving":1,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}
    waits: ["web:bake"]

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true

  - /default/Resource/ID/fbae27432718000000052c80c771e46a/status
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":3,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000032/status
    groups: [{"batch":1,"canary":1,"creating":0,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":0,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}
    state: "waiting"

2228.500 s, 2 done, 2 held (4 decided, last at 2198.500 s), 4 lists, 2 other calls, 0 probes
  - /default/Hold/ID/bake/web/status
  ~ /default/Cluster/ID/status
    holds: 0
  ~ /default/Job/ID/00000000000000000032/status
    state: "running"
    waits: []

  + /default/Control/ID/web/status
    lookups: {"fbae27432718000000095ddad54ef4c3":[1,2227501,2227501,"stopped"]}

2233.500 s, 2 done, 1 quiet (3 decided, last at 2233.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000095ddad54ef4c3":[2,2227501,2232501,"stopped"]}

  ~ /default/Resource/ID/fbae27432718000000095ddad54ef4c3/status
    condemned: 2232501
    losses: 1
    pass: 23
    reason: "stopped"
    state: "delete"
    answered: (none)
  + /default/Hold/ID/roll_failed/web/status
    cluster: "shop"
    fact: "1 machine failed, maxFail is 1"
    group: "web"
    observation: "ea0f74d3f9f98a4d/1"
    pass: 23
    rule: "roll_failed"
    since: 1760002233500
    wouldCreate: 3
    wouldDestroy: 3
  ~ /default/Cluster/ID/status
    holds: 1
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":3,"ready":3,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000032/status
    groups: [{"batch":1,"canary":1,"creating":0,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":1,"old":3,"outdated":3,"ready":3,"updated":0,"wanted":4}]
    machines: {"creating":0,"leaving":1,"old":3,"outdated":3,"ready":3,"updated":0,"wanted":4}
    waits: ["web:roll_failed"]

  ~ /default/Resource/ID/fbae27432718000000095ddad54ef4c3/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[10,1,2232501]}
  + /default/Resource/ID/fbae274327180000000a1ae5e4a46c97/status
    created: 2232501
    generation: "ea0f74d3f9f98a4d"
    group: "web"
    image: "debian-14"
    labels: "8aad4fbc56a6cfbd"
    losses: 1
    made: 1760002233500
    pass: 24
    reason: "free_slot"
    slot: 0
    state: "create"
  - /default/Resource/ID/fbae27432718000000095ddad54ef4c3/status
  ~ /default/Cluster/ID/status
    holds: 0
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":3,"ready":3,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000032/status
    groups: [{"batch":1,"canary":1,"creating":1,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":0,"old":3,"outdated":3,"ready":3,"updated":0,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":3,"outdated":3,"ready":3,"updated":0,"wanted":4}
    waits: []

  ~ /default/Resource/ID/fbae274327180000000a1ae5e4a46c97/status
    answered: true
    id: "sim-10"

  ~ /default/Cluster/ID/status
    holds: 1
  ~ /default/Job/ID/00000000000000000032/status
    waits: ["web:roll_failed"]

2235.500 s, 2 done, 4 held (6 decided, last at 2235.000 s), 7 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae274327180000000a1ae5e4a46c97/status
    active: 2234501
    pass: 25
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":3,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000032/status
    groups: [{"batch":1,"canary":1,"creating":0,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":0,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}
    state: "waiting"

=== roll_failed of shop/web is answered
3421.000 s, 1 done, 40 held (41 decided, last at 3406.000 s), 41 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    series: {"fbae27432718":[11,1,3420001]}
  + /default/Resource/ID/fbae274327180000000b77a2035ba595/status
    created: 3420001
    generation: "ea0f74d3f9f98a4d"
    group: "web"
    image: "debian-14"
    labels: "8aad4fbc56a6cfbd"
    made: 1760003421000
    pass: 26
    reason: "roll"
    slot: 1
    state: "create"
  ~ /default/Cluster/ID/status
    holds: 0
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":3,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000032/status
    groups: [{"batch":1,"canary":1,"creating":1,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":0,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae274327180000000b77a2035ba595/status
    answered: true
    id: "sim-11"

3423.000 s, 1 done, 4 quiet (5 decided, last at 3422.500 s), 5 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae274327180000000b77a2035ba595/status
    active: 3422001
    pass: 27
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":3,"ready":5,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000032/status
    groups: [{"batch":1,"canary":1,"creating":0,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":0,"old":3,"outdated":3,"ready":5,"updated":2,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":3,"outdated":3,"ready":5,"updated":2,"wanted":4}

3423.500 s, 1 done (1 decided, last at 3423.000 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    condemned: 3422501
    pass: 28
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":3,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000032/status
    groups: [{"batch":1,"canary":1,"creating":0,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":1,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":4}]
    machines: {"creating":0,"leaving":1,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":4}

  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[12,1,3422501]}
  + /default/Resource/ID/fbae274327180000000c64dfe452be0f/status
    created: 3422501
    generation: "ea0f74d3f9f98a4d"
    group: "web"
    image: "debian-14"
    labels: "8aad4fbc56a6cfbd"
    made: 1760003423500
    pass: 29
    reason: "roll"
    slot: 2
    state: "create"
  - /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":2,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000032/status
    groups: [{"batch":1,"canary":1,"creating":1,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":0,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":4}

  ~ /default/Resource/ID/fbae274327180000000c64dfe452be0f/status
    answered: true
    id: "sim-12"

3425.500 s, 2 done, 4 quiet (6 decided, last at 3425.000 s), 6 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae274327180000000c64dfe452be0f/status
    active: 3424501
    pass: 30
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":2,"ready":5,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000032/status
    groups: [{"batch":1,"canary":1,"creating":0,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":0,"old":2,"outdated":2,"ready":5,"updated":3,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":2,"outdated":2,"ready":5,"updated":3,"wanted":4}

3426.000 s, 1 done (1 decided, last at 3425.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    condemned: 3425001
    pass: 31
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":2,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000032/status
    groups: [{"batch":1,"canary":1,"creating":0,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":1,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":4}]
    machines: {"creating":0,"leaving":1,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":4}

  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[13,1,3425001]}
  + /default/Resource/ID/fbae274327180000000d3fdb453fbdc8/status
    created: 3425001
    generation: "ea0f74d3f9f98a4d"
    group: "web"
    image: "debian-14"
    labels: "8aad4fbc56a6cfbd"
    made: 1760003426000
    pass: 32
    reason: "roll"
    slot: 3
    state: "create"
  - /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":1,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000032/status
    groups: [{"batch":1,"canary":1,"creating":1,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":0,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":4}

  ~ /default/Resource/ID/fbae274327180000000d3fdb453fbdc8/status
    answered: true
    id: "sim-13"

3428.000 s, 2 done, 4 quiet (6 decided, last at 3427.500 s), 6 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae274327180000000d3fdb453fbdc8/status
    active: 3427001
    pass: 33
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":1,"ready":5,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000032/status
    groups: [{"batch":1,"canary":1,"creating":0,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":0,"old":1,"outdated":1,"ready":5,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":1,"outdated":1,"ready":5,"updated":4,"wanted":4}

3428.500 s, 1 done (1 decided, last at 3428.000 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    condemned: 3427501
    pass: 34
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":1,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000032/status
    groups: [{"creating":0,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":1,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":1,"old":0,"ready":4,"updated":4,"wanted":4}

  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    answered: true

  - /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000032/status
    ended: 1760003428500
    groups: [{"creating":0,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}
    state: "done"

3433.500 s, 2 done (2 decided, last at 3428.500 s), 2 lists, 1 other calls, 0 probes
  - /default/Hold/ID/roll_failed/web/status

=== the end
7021.000 s, 121 quiet (7 decided, last at 7003.500 s), 125 lists, 0 other calls, 0 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 63500 stopped 0 reboots 0 at 0 'rolled'
sim-10 web/0 {"image":"debian-14","resourcePlugin":"sim"} zone '' labels  made 2233500 ended 0 stopped 0 reboots 0 at 0 ''
sim-11 web/1 {"image":"debian-14","resourcePlugin":"sim"} zone '' labels  made 3421000 ended 0 stopped 0 reboots 0 at 0 ''
sim-12 web/2 {"image":"debian-14","resourcePlugin":"sim"} zone '' labels  made 3423500 ended 0 stopped 0 reboots 0 at 0 ''
sim-13 web/3 {"image":"debian-14","resourcePlugin":"sim"} zone '' labels  made 3426000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 963500 stopped 0 reboots 0 at 0 'rolled'
sim-3 web/2 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 966000 stopped 0 reboots 0 at 0 'rolled'
sim-4 web/3 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 968500 stopped 0 reboots 0 at 0 'rolled'
sim-5 web/0 {"image":"debian-13","resourcePlugin":"sim"} zone '' labels {"labels":{"tier":"front"}} made 61000 ended 2163500 stopped 0 reboots 0 at 0 'rolled'
sim-6 web/1 {"image":"debian-13","resourcePlugin":"sim"} zone '' labels {"labels":{"tier":"front"}} made 961000 ended 3423500 stopped 0 reboots 0 at 0 'rolled'
sim-7 web/2 {"image":"debian-13","resourcePlugin":"sim"} zone '' labels {"labels":{"tier":"front"}} made 963500 ended 3426000 stopped 0 reboots 0 at 0 'rolled'
sim-8 web/3 {"image":"debian-13","resourcePlugin":"sim"} zone '' labels {"labels":{"tier":"front"}} made 966000 ended 3428500 stopped 0 reboots 0 at 0 'rolled'
sim-9 web/0 {"image":"debian-14","resourcePlugin":"sim"} zone '' labels  made 2161000 ended 2233500 stopped 2221000 reboots 0 at 0 'stopped'
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
cluster.changed: actor "ana" groups ["web"] sums {"change":0,"create":0,"destroy":0,"groups":1,"nodes":4,"reboot":0,"replace":4}
machine.wanted: fact "58c2d4f2b51c301b -> d737f7d1c3549b7a" group "web" node "web-0" pass 3 rule "roll" slot 0
job.began: fact "job/6"
machine.created: group "web" id "sim-5" node "web-0" pass 3 rule "roll" slot 0
machine.ready: fact "sim-5 runs" group "web" id "sim-5" node "web-0" pass 4 rule "activate" slot 0
machine.condemned: fact "sim-5 is in service" group "web" id "sim-1" node "web-0" pass 5 rule "rolled" slot 0
hold.began: fact "for 600 s" group "web" pass 5 rule "bake"
machine.destroyed: group "web" id "sim-1" node "web-0" pass 5 rule "rolled" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-1" node "web-0" pass 6 rule "forget" slot 0
cluster.paused: actor "ana"
hold.began: fact "observation continues" group "web" pass 7 rule "paused"
hold.ended: group "web" pass 7 rule "bake"
cluster.resumed: actor "ana"
machine.wanted: fact "58c2d4f2b51c301b -> d737f7d1c3549b7a" group "web" node "web-1" pass 8 rule "roll" slot 1
hold.ended: group "web" pass 8 rule "paused"
machine.created: group "web" id "sim-6" node "web-1" pass 8 rule "roll" slot 1
machine.ready: fact "sim-6 runs" group "web" id "sim-6" node "web-1" pass 9 rule "activate" slot 1
machine.condemned: fact "sim-6 is in service" group "web" id "sim-2" node "web-1" pass 10 rule "rolled" slot 1
machine.destroyed: group "web" id "sim-2" node "web-1" pass 10 rule "rolled" slot 1
machine.wanted: fact "58c2d4f2b51c301b -> d737f7d1c3549b7a" group "web" node "web-2" pass 11 rule "roll" slot 2
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-2" node "web-1" pass 11 rule "forget" slot 1
machine.created: group "web" id "sim-7" node "web-2" pass 11 rule "roll" slot 2
machine.ready: fact "sim-7 runs" group "web" id "sim-7" node "web-2" pass 12 rule "activate" slot 2
machine.condemned: fact "sim-7 is in service" group "web" id "sim-3" node "web-2" pass 13 rule "rolled" slot 2
machine.destroyed: group "web" id "sim-3" node "web-2" pass 13 rule "rolled" slot 2
machine.wanted: fact "58c2d4f2b51c301b -> d737f7d1c3549b7a" group "web" node "web-3" pass 14 rule "roll" slot 3
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-3" node "web-2" pass 14 rule "forget" slot 2
machine.created: group "web" id "sim-8" node "web-3" pass 14 rule "roll" slot 3
machine.ready: fact "sim-8 runs" group "web" id "sim-8" node "web-3" pass 15 rule "activate" slot 3
machine.condemned: fact "sim-8 is in service" group "web" id "sim-4" node "web-3" pass 16 rule "rolled" slot 3
machine.destroyed: group "web" id "sim-4" node "web-3" pass 16 rule "rolled" slot 3
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-4" node "web-3" pass 17 rule "forget" slot 3
job.done: fact "job/6"
cluster.changed: actor "ana" groups ["web"] sums {"change":0,"create":0,"destroy":0,"groups":1,"nodes":4,"reboot":0,"replace":4}
machine.wanted: fact "d737f7d1c3549b7a -> ea0f74d3f9f98a4d" group "web" node "web-0" pass 18 rule "roll" slot 0
job.began: fact "job/32"
machine.labelled: group "web" id "sim-6" node "web-1" pass 9 rule "roll" slot 1
machine.labelled: group "web" id "sim-8" node "web-3" pass 15 rule "roll" slot 3
machine.labelled: group "web" id "sim-7" node "web-2" pass 12 rule "roll" slot 2
machine.labelled: group "web" id "sim-5" node "web-0" pass 4 rule "roll" slot 0
machine.created: group "web" id "sim-9" node "web-0" pass 18 rule "roll" slot 0
machine.ready: fact "sim-9 runs" group "web" id "sim-9" node "web-0" pass 19 rule "activate" slot 0
machine.condemned: fact "sim-9 is in service" group "web" id "sim-5" node "web-0" pass 20 rule "rolled" slot 0
hold.began: fact "for 600 s" group "web" pass 20 rule "bake"
machine.destroyed: group "web" id "sim-5" node "web-0" pass 20 rule "rolled" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-5" node "web-0" pass 21 rule "forget" slot 0
hold.ended: group "web" pass 22 rule "bake"
machine.condemned: fact "2 answers agree" group "web" id "sim-9" node "web-0" pass 23 rule "stopped" slot 0
hold.began: fact "1 machine failed, maxFail is 1" group "web" pass 23 rule "roll_failed"
machine.destroyed: group "web" id "sim-9" node "web-0" pass 23 rule "stopped" slot 0
machine.wanted: fact "size is 4, 3 recorded" group "web" node "web-0" pass 24 rule "free_slot" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-9" node "web-0" pass 24 rule "forget" slot 0
machine.created: group "web" id "sim-10" node "web-0" pass 24 rule "free_slot" slot 0
machine.ready: fact "sim-10 runs" group "web" id "sim-10" node "web-0" pass 25 rule "activate" slot 0
hold.approved: actor "ana" group "web" rule "roll_failed"
machine.wanted: fact "d737f7d1c3549b7a -> ea0f74d3f9f98a4d" group "web" node "web-1" pass 26 rule "roll" slot 1
machine.created: group "web" id "sim-11" node "web-1" pass 26 rule "roll" slot 1
machine.ready: fact "sim-11 runs" group "web" id "sim-11" node "web-1" pass 27 rule "activate" slot 1
machine.condemned: fact "sim-11 is in service" group "web" id "sim-6" node "web-1" pass 28 rule "rolled" slot 1
machine.destroyed: group "web" id "sim-6" node "web-1" pass 28 rule "rolled" slot 1
machine.wanted: fact "d737f7d1c3549b7a -> ea0f74d3f9f98a4d" group "web" node "web-2" pass 29 rule "roll" slot 2
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-6" node "web-1" pass 29 rule "forget" slot 1
machine.created: group "web" id "sim-12" node "web-2" pass 29 rule "roll" slot 2
machine.ready: fact "sim-12 runs" group "web" id "sim-12" node "web-2" pass 30 rule "activate" slot 2
machine.condemned: fact "sim-12 is in service" group "web" id "sim-7" node "web-2" pass 31 rule "rolled" slot 2
machine.destroyed: group "web" id "sim-7" node "web-2" pass 31 rule "rolled" slot 2
machine.wanted: fact "d737f7d1c3549b7a -> ea0f74d3f9f98a4d" group "web" node "web-3" pass 32 rule "roll" slot 3
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-7" node "web-2" pass 32 rule "forget" slot 2
machine.created: group "web" id "sim-13" node "web-3" pass 32 rule "roll" slot 3
machine.ready: fact "sim-13 runs" group "web" id "sim-13" node "web-3" pass 33 rule "activate" slot 3
machine.condemned: fact "sim-13 is in service" group "web" id "sim-8" node "web-3" pass 34 rule "rolled" slot 3
machine.destroyed: group "web" id "sim-8" node "web-3" pass 34 rule "rolled" slot 3
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-8" node "web-3" pass 35 rule "forget" slot 3
job.done: fact "job/32"
hold.ended: group "web" pass 36 rule "roll_failed"
