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
  + /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 2
    state: "create"
  + /default/Cluster/ID/status
    holds: 0
    machines: {"creating":5,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":5}
    observed: 1
  + /default/Job/ID/00000000000000000001/status
    begun: 1760000001000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":2,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":0,"updated":0,"wanted":2},{"creating":3,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":3}]
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
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":5,"updated":5,"wanted":5}
    state: "done"

61.000 s, 1 done, 2 quiet (2 decided, last at 33.500 s), 2 lists, 0 other calls, 0 probes
=== another image, and a smaller group beside it
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    condemned: 60001
    pass: 3
    reason: "scale_in"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    outdated: true
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    outdated: true
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    outdated: true
  + /default/Hold/ID/protected/web/status
    cluster: "shop"
    fact: "3 machines would go"
    group: "web"
    pass: 3
    rule: "protected"
    since: 1760000061000
    wouldCreate: 0
    wouldDestroy: 3
  ~ /default/Cluster/ID/status
    holds: 1
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":3,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
    observed: 6
  + /default/Job/ID/00000000000000000006/status
    begun: 1760000061000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":1,"old":0,"ready":1,"updated":1,"wanted":1},{"batch":1,"canary":0,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":3,"outdated":3,"ready":3,"updated":0,"wanted":3}]
    machines: {"creating":0,"leaving":1,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}
    problems: []
    revision: 6
    state: "running"
    waits: ["web:protected"]

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true

  - /default/Resource/ID/fbae2743271800000002de820479c4a8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":3,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"batch":1,"canary":0,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":3,"outdated":3,"ready":3,"updated":0,"wanted":3}]
    machines: {"creating":0,"leaving":0,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}
    state: "waiting"

361.000 s, 2 done, 10 held (12 decided, last at 336.000 s), 12 lists, 1 other calls, 0 probes
=== one stops
366.000 s (0 decided, last at 336.000 s), 1 lists, 1 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000006/status
    state: "running"

  + /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[1,365001,365001,"stopped"]}

  ~ /default/Job/ID/00000000000000000006/status
    state: "waiting"

371.000 s, 1 done, 1 held (2 decided, last at 366.000 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000006/status
    state: "running"

  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[2,365001,370001,"stopped"]}

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    condemned: 370001
    losses: 1
    pass: 5
    reason: "stopped"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":3,"ready":3,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":1,"old":0,"ready":0,"updated":0,"wanted":1},{"batch":1,"canary":0,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":3,"outdated":3,"ready":3,"updated":0,"wanted":3}]
    machines: {"creating":0,"leaving":1,"old":3,"outdated":3,"ready":3,"updated":0,"wanted":4}

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[6,1,370001]}
  + /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    created: 370001
    generation: "58c2d4f2b51c301b"
    group: "db"
    losses: 1
    made: 1760000371000
    pass: 6
    reason: "free_slot"
    slot: 0
    state: "create"
  - /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":3,"ready":3,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"creating":1,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1},{"batch":1,"canary":0,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":3,"outdated":3,"ready":3,"updated":0,"wanted":3}]
    machines: {"creating":1,"leaving":0,"old":3,"outdated":3,"ready":3,"updated":0,"wanted":4}

  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    answered: true
    id: "sim-6"

373.000 s, 3 done, 4 held (7 decided, last at 372.500 s), 7 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    active: 372001
    pass: 7
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":3,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"batch":1,"canary":0,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":3,"outdated":3,"ready":3,"updated":0,"wanted":3}]
    machines: {"creating":0,"leaving":0,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}
    state: "waiting"

961.000 s, 1 done, 20 held (21 decided, last at 943.500 s), 20 lists, 0 other calls, 0 probes
=== not protected any more
  ~ /default/Control/ID/status
    series: {"fbae27432718":[7,1,960001]}
  + /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    created: 960001
    generation: "d737f7d1c3549b7a"
    group: "web"
    image: "debian-13"
    made: 1760000961000
    pass: 8
    reason: "roll"
    slot: 0
    state: "create"
  - /default/Hold/ID/protected/web/status
  ~ /default/Cluster/ID/status
    holds: 0
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":3,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
    observed: 20
  ~ /default/Job/ID/00000000000000000006/status
    ended: 1760000961000
    state: "superseded"
    supersededBy: "job/20"
  + /default/Job/ID/00000000000000000020/status
    begun: 1760000961000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"batch":1,"canary":0,"creating":1,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":3,"outdated":3,"ready":3,"updated":0,"wanted":3}]
    machines: {"creating":1,"leaving":0,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}
    problems: []
    revision: 20
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    answered: true
    id: "sim-7"

963.000 s, 1 done, 4 quiet (5 decided, last at 962.500 s), 6 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    active: 962001
    pass: 9
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":3,"ready":5,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000020/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"batch":1,"canary":0,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":3}]
    machines: {"creating":0,"leaving":0,"old":3,"outdated":3,"ready":5,"updated":2,"wanted":4}

963.500 s, 1 done (1 decided, last at 963.000 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    condemned: 962501
    pass: 10
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":3,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000020/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"batch":1,"canary":0,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":1,"old":2,"outdated":2,"ready":3,"updated":1,"wanted":3}]
    machines: {"creating":0,"leaving":1,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":4}

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[8,1,962501]}
  + /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    created: 962501
    generation: "d737f7d1c3549b7a"
    group: "web"
    image: "debian-13"
    made: 1760000963500
    pass: 11
    reason: "roll"
    slot: 1
    state: "create"
  - /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":2,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000020/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"batch":1,"canary":0,"creating":1,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":2,"outdated":2,"ready":3,"updated":1,"wanted":3}]
    machines: {"creating":1,"leaving":0,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":4}

  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    answered: true
    id: "sim-8"

965.500 s, 2 done, 4 quiet (6 decided, last at 965.000 s), 6 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    active: 964501
    pass: 12
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":2,"ready":5,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000020/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"batch":1,"canary":0,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":3}]
    machines: {"creating":0,"leaving":0,"old":2,"outdated":2,"ready":5,"updated":3,"wanted":4}

966.000 s, 1 done (1 decided, last at 965.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    condemned: 965001
    pass: 13
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":2,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000020/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"batch":1,"canary":0,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":1,"old":1,"outdated":1,"ready":3,"updated":2,"wanted":3}]
    machines: {"creating":0,"leaving":1,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":4}

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[9,1,965001]}
  + /default/Resource/ID/fbae27432718000000095ddad54ef4c3/status
    created: 965001
    generation: "d737f7d1c3549b7a"
    group: "web"
    image: "debian-13"
    made: 1760000966000
    pass: 14
    reason: "roll"
    slot: 2
    state: "create"
  - /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":1,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000020/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"batch":1,"canary":0,"creating":1,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":1,"outdated":1,"ready":3,"updated":2,"wanted":3}]
    machines: {"creating":1,"leaving":0,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":4}

  ~ /default/Resource/ID/fbae27432718000000095ddad54ef4c3/status
    answered: true
    id: "sim-9"

968.000 s, 2 done, 4 quiet (6 decided, last at 967.500 s), 6 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000095ddad54ef4c3/status
    active: 967001
    pass: 15
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":1,"ready":5,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000020/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"batch":1,"canary":0,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":3}]
    machines: {"creating":0,"leaving":0,"old":1,"outdated":1,"ready":5,"updated":4,"wanted":4}

968.500 s, 1 done (1 decided, last at 968.000 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    condemned: 967501
    pass: 16
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":1,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000020/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":1,"old":0,"ready":3,"updated":3,"wanted":3}]
    machines: {"creating":0,"leaving":1,"old":0,"ready":4,"updated":4,"wanted":4}

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true

  - /default/Resource/ID/fbae27432718000000052c80c771e46a/status
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000020/status
    ended: 1760000968500
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}
    state: "done"

2161.000 s, 2 done, 40 quiet (4 decided, last at 2143.500 s), 43 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    condemned: 2160001
    pass: 18
    reason: "scale_in"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae27432718000000095ddad54ef4c3/status
    condemned: 2160001
    pass: 18
    reason: "scale_in"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":2,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":2}
    observed: 37
  + /default/Job/ID/00000000000000000037/status
    begun: 1760002161000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":2,"old":0,"ready":1,"updated":1,"wanted":1}]
    machines: {"creating":0,"leaving":2,"old":0,"ready":2,"updated":2,"wanted":2}
    problems: []
    revision: 37
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae27432718000000095ddad54ef4c3/status
    answered: true
  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    answered: true

  - /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
  - /default/Resource/ID/fbae27432718000000095ddad54ef4c3/status
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":2}
  ~ /default/Job/ID/00000000000000000037/status
    ended: 1760002161000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}
    state: "done"

=== the end
3361.000 s, 2 done, 40 quiet (4 decided, last at 3336.000 s), 42 lists, 2 other calls, 0 probes
=== machines
sim-1 db/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 371000 stopped 361000 reboots 0 at 0 'stopped'
sim-2 db/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 61000 stopped 0 reboots 0 at 0 'scale_in'
sim-3 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 963500 stopped 0 reboots 0 at 0 'rolled'
sim-4 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 966000 stopped 0 reboots 0 at 0 'rolled'
sim-5 web/2 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 968500 stopped 0 reboots 0 at 0 'rolled'
sim-6 db/0 {"resourcePlugin":"sim"} zone '' labels  made 371000 ended 0 stopped 0 reboots 0 at 0 ''
sim-7 web/0 {"image":"debian-13","resourcePlugin":"sim"} zone '' labels  made 961000 ended 0 stopped 0 reboots 0 at 0 ''
sim-8 web/1 {"image":"debian-13","resourcePlugin":"sim"} zone '' labels  made 963500 ended 2161000 stopped 0 reboots 0 at 0 'scale_in'
sim-9 web/2 {"image":"debian-13","resourcePlugin":"sim"} zone '' labels  made 966000 ended 2161000 stopped 0 reboots 0 at 0 'scale_in'
=== events
cluster.created: actor "ana" groups ["db","web"] sums {"change":0,"create":5,"destroy":0,"groups":2,"nodes":5,"reboot":0,"replace":0}
machine.wanted: fact "size is 2, 0 recorded" group "db" node "db-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 2, 0 recorded" group "db" node "db-1" pass 1 rule "free_slot" slot 1
machine.wanted: fact "size is 3, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 3, 0 recorded" group "web" node "web-1" pass 1 rule "free_slot" slot 1
machine.wanted: fact "size is 3, 0 recorded" group "web" node "web-2" pass 1 rule "free_slot" slot 2
job.began: fact "job/1"
machine.created: group "web" id "sim-5" node "web-2" pass 1 rule "free_slot" slot 2
machine.created: group "web" id "sim-4" node "web-1" pass 1 rule "free_slot" slot 1
machine.created: group "web" id "sim-3" node "web-0" pass 1 rule "free_slot" slot 0
machine.created: group "db" id "sim-2" node "db-1" pass 1 rule "free_slot" slot 1
machine.created: group "db" id "sim-1" node "db-0" pass 1 rule "free_slot" slot 0
machine.ready: fact "sim-1 runs" group "db" id "sim-1" node "db-0" pass 2 rule "activate" slot 0
machine.ready: fact "sim-2 runs" group "db" id "sim-2" node "db-1" pass 2 rule "activate" slot 1
machine.ready: fact "sim-3 runs" group "web" id "sim-3" node "web-0" pass 2 rule "activate" slot 0
machine.ready: fact "sim-4 runs" group "web" id "sim-4" node "web-1" pass 2 rule "activate" slot 1
machine.ready: fact "sim-5 runs" group "web" id "sim-5" node "web-2" pass 2 rule "activate" slot 2
job.done: fact "job/1"
cluster.changed: actor "ana" groups ["db","web"] sums {"change":0,"create":0,"destroy":1,"groups":2,"nodes":4,"reboot":0,"replace":3}
machine.condemned: fact "size is 1" group "db" id "sim-2" node "db-1" pass 3 rule "scale_in" slot 1
hold.began: fact "3 machines would go" group "web" pass 3 rule "protected"
job.began: fact "job/6"
machine.destroyed: group "db" id "sim-2" node "db-1" pass 3 rule "scale_in" slot 1
machine.gone: fact "the provider has confirmed the destruction" group "db" id "sim-2" node "db-1" pass 4 rule "forget" slot 1
machine.condemned: fact "2 answers agree" group "db" id "sim-1" node "db-0" pass 5 rule "stopped" slot 0
machine.destroyed: group "db" id "sim-1" node "db-0" pass 5 rule "stopped" slot 0
machine.wanted: fact "size is 1, 0 recorded" group "db" node "db-0" pass 6 rule "free_slot" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "db" id "sim-1" node "db-0" pass 6 rule "forget" slot 0
machine.created: group "db" id "sim-6" node "db-0" pass 6 rule "free_slot" slot 0
machine.ready: fact "sim-6 runs" group "db" id "sim-6" node "db-0" pass 7 rule "activate" slot 0
cluster.changed: actor "ana" groups ["web"] sums {"change":0,"create":0,"destroy":0,"groups":1,"nodes":3,"reboot":0,"replace":0}
machine.wanted: fact "58c2d4f2b51c301b -> d737f7d1c3549b7a" group "web" node "web-0" pass 8 rule "roll" slot 0
hold.ended: group "web" pass 8 rule "protected"
job.began: fact "job/20"
machine.created: group "web" id "sim-7" node "web-0" pass 8 rule "roll" slot 0
machine.ready: fact "sim-7 runs" group "web" id "sim-7" node "web-0" pass 9 rule "activate" slot 0
machine.condemned: fact "sim-7 is in service" group "web" id "sim-3" node "web-0" pass 10 rule "rolled" slot 0
machine.destroyed: group "web" id "sim-3" node "web-0" pass 10 rule "rolled" slot 0
machine.wanted: fact "58c2d4f2b51c301b -> d737f7d1c3549b7a" group "web" node "web-1" pass 11 rule "roll" slot 1
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-3" node "web-0" pass 11 rule "forget" slot 0
machine.created: group "web" id "sim-8" node "web-1" pass 11 rule "roll" slot 1
machine.ready: fact "sim-8 runs" group "web" id "sim-8" node "web-1" pass 12 rule "activate" slot 1
machine.condemned: fact "sim-8 is in service" group "web" id "sim-4" node "web-1" pass 13 rule "rolled" slot 1
machine.destroyed: group "web" id "sim-4" node "web-1" pass 13 rule "rolled" slot 1
machine.wanted: fact "58c2d4f2b51c301b -> d737f7d1c3549b7a" group "web" node "web-2" pass 14 rule "roll" slot 2
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-4" node "web-1" pass 14 rule "forget" slot 1
machine.created: group "web" id "sim-9" node "web-2" pass 14 rule "roll" slot 2
machine.ready: fact "sim-9 runs" group "web" id "sim-9" node "web-2" pass 15 rule "activate" slot 2
machine.condemned: fact "sim-9 is in service" group "web" id "sim-5" node "web-2" pass 16 rule "rolled" slot 2
machine.destroyed: group "web" id "sim-5" node "web-2" pass 16 rule "rolled" slot 2
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-5" node "web-2" pass 17 rule "forget" slot 2
job.done: fact "job/20"
cluster.changed: actor "ana" groups ["web"] sums {"change":0,"create":0,"destroy":2,"groups":1,"nodes":1,"reboot":0,"replace":0}
machine.condemned: fact "size is 1" group "web" id "sim-8" node "web-1" pass 18 rule "scale_in" slot 1
machine.condemned: fact "size is 1" group "web" id "sim-9" node "web-2" pass 18 rule "scale_in" slot 2
job.began: fact "job/37"
machine.destroyed: group "web" id "sim-9" node "web-2" pass 18 rule "scale_in" slot 2
machine.destroyed: group "web" id "sim-8" node "web-1" pass 18 rule "scale_in" slot 1
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-8" node "web-1" pass 19 rule "forget" slot 1
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-9" node "web-2" pass 19 rule "forget" slot 2
job.done: fact "job/37"
