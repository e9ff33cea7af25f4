21.000 s (0 decided, last at 3.708 s), 0 lists, 0 other calls, 0 probes
=== another image and another argument
  + /default/Control/ID/status
    series: {"fbae27432718":[4,1,20001]}
  + /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    created: 20001
    generation: "d737f7d1c3549b7a"
    group: "web"
    image: "debian-13"
    made: 1760000021000
    pass: 3
    reason: "roll"
    slot: 0
    state: "create"
  + /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    active: 2001
    address: "sim-1"
    answered: true
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    id: "sim-1"
    made: 1760000001000
    outdated: true
    pass: 2
    reason: "free_slot"
    slot: 0
    state: "active"
  + /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    active: 2001
    address: "sim-2"
    answered: true
    cause: "open"
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    id: "sim-2"
    made: 1760000001000
    outdated: true
    pass: 2
    reason: "free_slot"
    slot: 1
    state: "active"
  + /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    active: 2001
    address: "sim-3"
    answered: true
    cause: "open"
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    id: "sim-3"
    made: 1760000001000
    outdated: true
    pass: 2
    reason: "free_slot"
    slot: 2
    state: "active"
  + /default/Cluster/ID/status
    holds: 0
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":3,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}
    observed: 14
  + /default/Job/ID/00000000000000000014/status
    begun: 1760000021000
    by: "ana"
    cluster: "shop"
    groups: [{"batch":1,"canary":0,"chain":"a413d8c536c2eaba","creating":1,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":3,"outdated":3,"ready":3,"staging":3,"updated":0,"wanted":3}]
    machines: {"creating":1,"leaving":0,"old":3,"outdated":3,"ready":3,"staging":3,"updated":0,"wanted":3}
    problems: []
    revision: 14
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true
    id: "sim-4"

23.000 s, 1 done, 4 quiet (5 decided, last at 22.500 s), 6 lists, 1 other calls, 5 probes
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    active: 22001
    address: "sim-4"
    pass: 4
    starting: true
    state: "active"

  + /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status

23.100 s, 1 done (1 decided, last at 23.000 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status
    keys: {"host":"fbae27432718000000047fa3cb7da0a8","root":"r"}
    since: 1760000023100
    step: "keyed"
    trustGiven: "c0000000000000001.0000000000000001.0.2"

23.200 s (0 decided, last at 23.000 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status
    facts: {"name":"web-0"}
    factsGiven: "994a157ffefbb1ec70662cc606d0424d"
    since: 1760000023200
    step: "facts"

23.300 s (0 decided, last at 23.000 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status
    chainDone: "a413d8c536c2eaba"
    since: 1760000023300
    step: "bootstrapped"

23.819 s, 1 quiet (1 decided, last at 23.300 s), 1 lists, 0 other calls, 1 probes
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    cause: "open"
    starting: (none)

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    condemned: 22820
    pass: 5
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":3,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000014/status
    groups: [{"batch":1,"canary":0,"chain":"a413d8c536c2eaba","creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":1,"old":2,"outdated":2,"ready":3,"staging":2,"updated":1,"wanted":3}]
    machines: {"creating":0,"leaving":1,"old":2,"outdated":2,"ready":3,"staging":2,"updated":1,"wanted":3}

  + /default/Revoked/ID/fbae27432718000000014bd8c442c5f8/base
    at: 1760000023819
    id: "web-0.fbae2743271800000001"
    until: 1762592023819

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[5,1,22820]}
  + /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    created: 22820
    generation: "d737f7d1c3549b7a"
    group: "web"
    image: "debian-13"
    made: 1760000023819
    pass: 6
    reason: "roll"
    slot: 1
    state: "create"
  - /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":2,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000014/status
    groups: [{"batch":1,"canary":0,"chain":"a413d8c536c2eaba","creating":1,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":2,"outdated":2,"ready":3,"staging":2,"updated":1,"wanted":3}]
    machines: {"creating":1,"leaving":0,"old":2,"outdated":2,"ready":3,"staging":2,"updated":1,"wanted":3}

  - /default/Node/ID/fbae27432718000000014bd8c442c5f8/status

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true
    id: "sim-5"

25.819 s, 2 done, 4 quiet (6 decided, last at 25.319 s), 7 lists, 2 other calls, 3 probes
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    active: 24820
    address: "sim-5"
    pass: 7
    starting: true
    state: "active"

  + /default/Node/ID/fbae27432718000000052c80c771e46a/status

25.900 s, 1 done (1 decided, last at 25.819 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000052c80c771e46a/status
    keys: {"host":"fbae27432718000000052c80c771e46a","root":"r"}
    since: 1760000025900
    step: "keyed"
    trustGiven: "c0000000000000001.0000000000000001.0.2"

26.000 s (0 decided, last at 25.819 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000052c80c771e46a/status
    facts: {"name":"web-1"}
    factsGiven: "994a157ffefbb1ec70662cc606d0424d"
    since: 1760000026000
    step: "facts"

26.100 s (0 decided, last at 25.819 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000052c80c771e46a/status
    chainDone: "a413d8c536c2eaba"
    since: 1760000026100
    step: "bootstrapped"

26.427 s, 1 quiet (1 decided, last at 26.100 s), 1 lists, 0 other calls, 3 probes
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    cause: "open"
    starting: (none)

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    condemned: 25428
    pass: 8
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":2,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000014/status
    groups: [{"batch":1,"canary":0,"chain":"a413d8c536c2eaba","creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":1,"old":1,"outdated":1,"ready":3,"staging":1,"updated":2,"wanted":3}]
    machines: {"creating":0,"leaving":1,"old":1,"outdated":1,"ready":3,"staging":1,"updated":2,"wanted":3}

  + /default/Revoked/ID/fbae2743271800000002de820479c4a8/base
    at: 1760000026427
    id: "web-1.fbae2743271800000002"
    until: 1762592026427

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[6,1,25428]}
  + /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    created: 25428
    generation: "d737f7d1c3549b7a"
    group: "web"
    image: "debian-13"
    made: 1760000026427
    pass: 9
    reason: "roll"
    slot: 2
    state: "create"
  - /default/Resource/ID/fbae2743271800000002de820479c4a8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":1,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000014/status
    groups: [{"batch":1,"canary":0,"chain":"a413d8c536c2eaba","creating":1,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":1,"outdated":1,"ready":3,"staging":1,"updated":2,"wanted":3}]
    machines: {"creating":1,"leaving":0,"old":1,"outdated":1,"ready":3,"staging":1,"updated":2,"wanted":3}

  - /default/Node/ID/fbae2743271800000002de820479c4a8/status

  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    answered: true
    id: "sim-6"

28.427 s, 2 done, 4 quiet (6 decided, last at 27.927 s), 7 lists, 2 other calls, 3 probes
  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    active: 27428
    address: "sim-6"
    pass: 10
    starting: true
    state: "active"

  + /default/Node/ID/fbae2743271800000006d526b3fb02f2/status

28.500 s, 1 done (1 decided, last at 28.427 s), 0 lists, 0 other calls, 1 probes
  ~ /default/Node/ID/fbae2743271800000006d526b3fb02f2/status
    keys: {"host":"fbae2743271800000006d526b3fb02f2","root":"r"}
    since: 1760000028500
    step: "keyed"
    trustGiven: "c0000000000000001.0000000000000001.0.2"

28.600 s (0 decided, last at 28.427 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae2743271800000006d526b3fb02f2/status
    facts: {"name":"web-2"}
    factsGiven: "994a157ffefbb1ec70662cc606d0424d"
    since: 1760000028600
    step: "facts"

28.700 s (0 decided, last at 28.427 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae2743271800000006d526b3fb02f2/status
    chainDone: "a413d8c536c2eaba"
    since: 1760000028700
    step: "bootstrapped"

29.041 s, 1 quiet (1 decided, last at 28.700 s), 1 lists, 0 other calls, 1 probes
  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    cause: "open"
    starting: (none)

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    condemned: 28042
    pass: 11
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":1,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000014/status
    groups: [{"chain":"a413d8c536c2eaba","creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":1,"old":0,"ready":3,"updated":3,"wanted":3}]
    machines: {"creating":0,"leaving":1,"old":0,"ready":3,"updated":3,"wanted":3}

  + /default/Revoked/ID/fbae27432718000000034981fbfa71b6/base
    at: 1760000029041
    id: "web-2.fbae2743271800000003"
    until: 1762592029041

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true

  - /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000014/status
    ended: 1760000029041
    groups: [{"chain":"a413d8c536c2eaba","creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}
    state: "done"

  - /default/Node/ID/fbae27432718000000034981fbfa71b6/status

321.000 s, 2 done, 10 quiet (3 decided, last at 304.041 s), 12 lists, 1 other calls, 547 probes
=== another argument in a paused group
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    outdated: true
  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    outdated: true
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    outdated: true
  + /default/Hold/ID/paused/web/status
    cluster: "shop"
    fact: "observation continues"
    group: "web"
    pass: 13
    rule: "paused"
    since: 1760000321000
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":3,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}
    observed: 53
  + /default/Job/ID/00000000000000000053/status
    begun: 1760000321000
    by: "ana"
    cluster: "shop"
    groups: [{"chain":"a41050c536bfcdcb","creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":0,"outdated":3,"ready":3,"staging":3,"updated":0,"wanted":3}]
    machines: {"creating":0,"leaving":0,"old":0,"outdated":3,"ready":3,"staging":3,"updated":0,"wanted":3}
    problems: []
    revision: 53
    state: "paused"
    waits: ["web:paused"]

  + /default/Batches/ID/040ee1142e4a5947/base
    at: 1760000321000
    bake: 10000
    batches: [1,2,3]
    canaries: 1
    chain: "a41050c536bfcdcb"
    group: "web"
    maxFail: 1
    nodes: "fbae27432718000000047fa3cb7da0a8,fbae27432718000000052c80c771e46a,fbae2743271800000006d526b3fb02f2"

  + /default/Job/ID/00000000000000000055/status
    batch: {"canary":true,"count":3,"number":1,"size":1}
    begun: 1760000321000
    cluster: "shop"
    group: "web"
    groups: []
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":0,"skipped":0,"staging":0,"waiting":3,"wanted":3}
    problems: []
    progress: {"marks":"...","request":"040ee1142e4a5947","seen":320001}
    revision: 55
    state: "paused"
    verb: "rollout"
    waits: ["web is paused"]

381.000 s, 3 held (3 decided, last at 351.000 s), 3 lists, 0 other calls, 112 probes
=== resumed; the group has another name, and the manager dies amid
  - /default/Hold/ID/paused/web/status
  ~ /default/Cluster/ID/status
    holds: 0
  ~ /default/Job/ID/00000000000000000053/status
    state: "running"
    waits: []

  ~ /default/Job/ID/00000000000000000055/status
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":0,"skipped":0,"staging":1,"waiting":2,"wanted":3}
    progress: {"marks":"r..","request":"040ee1142e4a5947","seen":380001}
    state: "running"
    waits: []

  ~ /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status
    served: 1
    chainDone: (none)

381.200 s, 1 quiet (1 decided, last at 381.000 s), 1 lists, 0 other calls, 1 probes
  ~ /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status
    chainDone: "a41050c536bfcdcb"
    job: "80f2256ab301a359"
  ~ /default/Job/ID/00000000000000000055/status
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":1,"skipped":0,"staging":0,"waiting":2,"wanted":3}
    progress: {"marks":"d..","request":"040ee1142e4a5947","rest":380201,"seen":380201}
    state: "resting"
    until: 1760000391200

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    outdated: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":2,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000053/status
    groups: [{"chain":"a41050c536bfcdcb","creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":0,"outdated":2,"ready":3,"staging":2,"updated":1,"wanted":3}]
    machines: {"creating":0,"leaving":0,"old":0,"outdated":2,"ready":3,"staging":2,"updated":1,"wanted":3}

386.000 s, 1 quiet (1 decided, last at 381.200 s), 1 lists, 0 other calls, 9 probes
  + /default/Lease/ID/status
    ahead: -999
    clock: "lab"
    session: "life-3"

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    group: "front"
    pass: 15
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    group: "front"
    pass: 15
    outdated: (none)
  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    group: "front"
    pass: 15
    outdated: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}
    observed: 63

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    outdated: true
  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    outdated: true
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":2,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000053/status
    ended: 1760000386000
    state: "superseded"
    supersededBy: "job/63"
  + /default/Job/ID/00000000000000000063/status
    begun: 1760000386000
    by: "ana"
    cluster: "shop"
    groups: [{"chain":"a41050c536bfcdcb","creating":0,"generations":["d737f7d1c3549b7a"],"group":"front","leaving":0,"old":0,"outdated":2,"ready":3,"staging":2,"updated":1,"wanted":3}]
    machines: {"creating":0,"leaving":0,"old":0,"outdated":2,"ready":3,"staging":2,"updated":1,"wanted":3}
    problems: []
    revision: 63
    state: "running"
    waits: []

391.200 s, 1 done, 1 quiet (2 decided, last at 386.000 s), 2 lists, 0 other calls, 9 probes
  ~ /default/Job/ID/00000000000000000055/status
    batch: {"canary":false,"count":3,"number":2,"size":1}
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":1,"skipped":0,"staging":1,"waiting":1,"wanted":3}
    progress: {"marks":"dr.","request":"040ee1142e4a5947","seen":390201}
    state: "running"
    until: (none)

  ~ /default/Node/ID/fbae27432718000000052c80c771e46a/status
    served: 1
    chainDone: (none)

391.400 s (0 decided, last at 386.000 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000052c80c771e46a/status
    chainDone: "a41050c536bfcdcb"
    job: "80f2256ab301a359"
  ~ /default/Job/ID/00000000000000000055/status
    batch: {"canary":false,"count":3,"number":3,"size":1}
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":2,"skipped":0,"staging":1,"waiting":0,"wanted":3}
    progress: {"marks":"ddr","request":"040ee1142e4a5947","seen":390401}

  ~ /default/Node/ID/fbae2743271800000006d526b3fb02f2/status
    served: 1
    chainDone: (none)

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    outdated: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":1,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000063/status
    groups: [{"chain":"a41050c536bfcdcb","creating":0,"generations":["d737f7d1c3549b7a"],"group":"front","leaving":0,"old":0,"outdated":1,"ready":3,"staging":1,"updated":2,"wanted":3}]
    machines: {"creating":0,"leaving":0,"old":0,"outdated":1,"ready":3,"staging":1,"updated":2,"wanted":3}

391.600 s, 1 quiet (1 decided, last at 391.400 s), 1 lists, 0 other calls, 2 probes
  ~ /default/Node/ID/fbae2743271800000006d526b3fb02f2/status
    chainDone: "a41050c536bfcdcb"
    job: "80f2256ab301a359"
  ~ /default/Job/ID/00000000000000000055/status
    ended: 1760000391600
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":3,"skipped":0,"staging":0,"waiting":0,"wanted":3}
    progress: {"marks":"ddd","request":"040ee1142e4a5947","seen":390601}
    state: "done"

  - /default/Batches/ID/040ee1142e4a5947/base

  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    outdated: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000063/status
    ended: 1760000391600
    groups: [{"chain":"a41050c536bfcdcb","creating":0,"generations":["d737f7d1c3549b7a"],"group":"front","leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}
    state: "done"

=== the end
686.000 s, 10 quiet (2 decided, last at 661.600 s), 10 lists, 0 other calls, 552 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 23819 stopped 0 reboots 0 at 0 'rolled'
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 26427 stopped 0 reboots 0 at 0 'rolled'
sim-3 web/2 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 29041 stopped 0 reboots 0 at 0 'rolled'
sim-4 web/0 {"image":"debian-13","resourcePlugin":"sim"} zone '' labels  made 21000 ended 0 stopped 0 reboots 0 at 0 ''
sim-5 web/1 {"image":"debian-13","resourcePlugin":"sim"} zone '' labels  made 23819 ended 0 stopped 0 reboots 0 at 0 ''
sim-6 web/2 {"image":"debian-13","resourcePlugin":"sim"} zone '' labels  made 26427 ended 0 stopped 0 reboots 0 at 0 ''
last probe: web-2 at sim-6 port 22 by SSH, 0 words, within 1000 ms
=== events
cluster.created: actor "ana" groups ["web"] sums {"change":0,"create":3,"destroy":0,"groups":1,"nodes":3,"reboot":0,"replace":0}
machine.wanted: fact "size is 3, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 3, 0 recorded" group "web" node "web-1" pass 1 rule "free_slot" slot 1
machine.wanted: fact "size is 3, 0 recorded" group "web" node "web-2" pass 1 rule "free_slot" slot 2
job.began: fact "job/1"
machine.created: group "web" id "sim-3" node "web-2" pass 1 rule "free_slot" slot 2
machine.created: group "web" id "sim-2" node "web-1" pass 1 rule "free_slot" slot 1
machine.created: group "web" id "sim-1" node "web-0" pass 1 rule "free_slot" slot 0
machine.running: fact "sim-1 runs" group "web" id "sim-1" node "web-0" pass 2 rule "activate" slot 0
machine.running: fact "sim-2 runs" group "web" id "sim-2" node "web-1" pass 2 rule "activate" slot 1
machine.running: fact "sim-3 runs" group "web" id "sim-3" node "web-2" pass 2 rule "activate" slot 2
node.keyed: group "web" id "sim-3" node "web-2" slot 2
node.keyed: group "web" id "sim-2" node "web-1" slot 1
node.keyed: group "web" id "sim-1" node "web-0" slot 0
node.bootstrapped: group "web" id "sim-3" node "web-2" slot 2
node.bootstrapped: group "web" id "sim-2" node "web-1" slot 1
node.bootstrapped: group "web" id "sim-1" node "web-0" slot 0
machine.ready: group "web" id "sim-1" node "web-0" pass 2 rule "bootstrap" slot 0
machine.ready: fact "open" group "web" id "sim-2" node "web-1" pass 2 rule "probe" slot 1
machine.ready: fact "open" group "web" id "sim-3" node "web-2" pass 2 rule "probe" slot 2
job.done: fact "job/1"
cluster.changed: actor "ana" groups ["web"] sums {"change":0,"create":0,"destroy":0,"groups":1,"nodes":3,"reboot":0,"replace":3}
machine.wanted: fact "58c2d4f2b51c301b -> d737f7d1c3549b7a" group "web" node "web-0" pass 3 rule "roll" slot 0
job.began: fact "job/14"
machine.created: group "web" id "sim-4" node "web-0" pass 3 rule "roll" slot 0
machine.running: fact "sim-4 runs" group "web" id "sim-4" node "web-0" pass 4 rule "activate" slot 0
node.keyed: group "web" id "sim-4" node "web-0" slot 0
node.bootstrapped: group "web" id "sim-4" node "web-0" slot 0
machine.ready: fact "open" group "web" id "sim-4" node "web-0" pass 4 rule "probe" slot 0
machine.condemned: fact "sim-4 is in service" group "web" id "sim-1" node "web-0" pass 5 rule "rolled" slot 0
node.revoked: fact "the machine is being destroyed" group "web" id "sim-1" node "web-0" slot 0
machine.destroyed: group "web" id "sim-1" node "web-0" pass 5 rule "rolled" slot 0
machine.wanted: fact "58c2d4f2b51c301b -> d737f7d1c3549b7a" group "web" node "web-1" pass 6 rule "roll" slot 1
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-1" node "web-0" pass 6 rule "forget" slot 0
machine.created: group "web" id "sim-5" node "web-1" pass 6 rule "roll" slot 1
machine.running: fact "sim-5 runs" group "web" id "sim-5" node "web-1" pass 7 rule "activate" slot 1
node.keyed: group "web" id "sim-5" node "web-1" slot 1
node.bootstrapped: group "web" id "sim-5" node "web-1" slot 1
machine.ready: fact "open" group "web" id "sim-5" node "web-1" pass 7 rule "probe" slot 1
machine.condemned: fact "sim-5 is in service" group "web" id "sim-2" node "web-1" pass 8 rule "rolled" slot 1
node.revoked: fact "the machine is being destroyed" group "web" id "sim-2" node "web-1" slot 1
machine.destroyed: group "web" id "sim-2" node "web-1" pass 8 rule "rolled" slot 1
machine.wanted: fact "58c2d4f2b51c301b -> d737f7d1c3549b7a" group "web" node "web-2" pass 9 rule "roll" slot 2
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-2" node "web-1" pass 9 rule "forget" slot 1
machine.created: group "web" id "sim-6" node "web-2" pass 9 rule "roll" slot 2
machine.running: fact "sim-6 runs" group "web" id "sim-6" node "web-2" pass 10 rule "activate" slot 2
node.keyed: group "web" id "sim-6" node "web-2" slot 2
node.bootstrapped: group "web" id "sim-6" node "web-2" slot 2
machine.ready: fact "open" group "web" id "sim-6" node "web-2" pass 10 rule "probe" slot 2
machine.condemned: fact "sim-6 is in service" group "web" id "sim-3" node "web-2" pass 11 rule "rolled" slot 2
node.revoked: fact "the machine is being destroyed" group "web" id "sim-3" node "web-2" slot 2
machine.destroyed: group "web" id "sim-3" node "web-2" pass 11 rule "rolled" slot 2
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-3" node "web-2" pass 12 rule "forget" slot 2
job.done: fact "job/14"
cluster.paused: actor "ana"
cluster.changed: actor "ana" groups ["web"] sums {"change":3,"create":0,"destroy":0,"groups":1,"nodes":3,"reboot":0,"replace":0}
hold.began: fact "observation continues" group "web" pass 13 rule "paused"
job.began: fact "job/53"
job.began: fact "job/55"
cluster.resumed: actor "ana"
hold.ended: group "web" pass 14 rule "paused"
job.batch: fact "job/55: batch 1 of 3, web-0"
node.bootstrapped: group "web" id "sim-4" node "web-0" slot 0
cluster.changed: actor "ana" groups ["front"] sums {"change":0,"create":0,"destroy":0,"groups":1,"nodes":3,"reboot":0,"replace":0}
machine.moved: fact "it was web" group "front" id "sim-4" node "web-0" pass 15 rule "renamed" slot 0
machine.moved: fact "it was web" group "front" id "sim-5" node "web-1" pass 15 rule "renamed" slot 1
machine.moved: fact "it was web" group "front" id "sim-6" node "web-2" pass 15 rule "renamed" slot 2
job.began: fact "job/63"
job.batch: fact "job/55: batch 2 of 3, web-1"
node.bootstrapped: group "front" id "sim-5" node "web-1" slot 1
job.batch: fact "job/55: batch 3 of 3, web-2"
node.bootstrapped: group "front" id "sim-6" node "web-2" slot 2
job.done: fact "job/55: stages have succeeded on 3 of 3"
job.done: fact "job/63"
