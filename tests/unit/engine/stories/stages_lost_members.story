21.000 s (0 decided, last at 3.729 s), 0 lists, 0 other calls, 0 probes
=== web-0 cannot be reached, web-2 has no room
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
  + /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    active: 2001
    address: "sim-4"
    answered: true
    cause: "open"
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    id: "sim-4"
    made: 1760000001000
    outdated: true
    pass: 2
    reason: "free_slot"
    slot: 3
    state: "active"
  + /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    active: 2001
    address: "sim-5"
    answered: true
    cause: "open"
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    id: "sim-5"
    made: 1760000001000
    outdated: true
    pass: 2
    reason: "free_slot"
    slot: 4
    state: "active"
  + /default/Cluster/ID/status
    holds: 0
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":5,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}
    observed: 16
  + /default/Job/ID/00000000000000000016/status
    begun: 1760000021000
    by: "ana"
    cluster: "shop"
    groups: [{"chain":"a413d8c536c2eaba","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"outdated":5,"ready":5,"staging":5,"updated":0,"wanted":5}]
    machines: {"creating":0,"leaving":0,"old":0,"outdated":5,"ready":5,"staging":5,"updated":0,"wanted":5}
    problems: []
    revision: 16
    state: "running"
    waits: []

  + /default/Batches/ID/b274221be44196e3/base
    at: 1760000021000
    batches: [1,3,5]
    canaries: 1
    chain: "a413d8c536c2eaba"
    group: "web"
    maxFail: 2
    nodes: "fbae27432718000000014bd8c442c5f8,fbae2743271800000002de820479c4a8,fbae27432718000000034981fbfa71b6,fbae27432718000000047fa3cb7da0a8,fbae27432718000000052c80c771e46a"

  + /default/Job/ID/00000000000000000018/status
    batch: {"canary":true,"count":3,"number":1,"size":1}
    begun: 1760000021000
    cluster: "shop"
    group: "web"
    groups: []
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":0,"skipped":0,"staging":0,"waiting":5,"wanted":5}
    problems: []
    progress: {"marks":".....","request":"b274221be44196e3","seen":20001}
    revision: 18
    state: "running"
    verb: "rollout"
    waits: []

  ~ /default/Job/ID/00000000000000000018/status
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":0,"skipped":0,"staging":1,"waiting":4,"wanted":5}
    progress: {"marks":"r....","request":"b274221be44196e3","seen":20001}

  + /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    facts: {"name":"web-0"}
    factsGiven: "307fff75b4a6428c3c3d6983342ac597"
    keys: {"host":"fbae27432718000000014bd8c442c5f8","root":"r"}
    served: 1
    since: 1760000003300
    step: "bootstrapped"
    trustGiven: "c0000000000000001.0000000000000001.0.2"

21.100 s, 2 quiet (2 decided, last at 21.000 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    blocked: "unreachable"
    blockedSince: 1760000021100
    blockedWhy: "no route to host"
    retryAt: 1760000026058

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    blocked: true
  ~ /default/Cluster/ID/status
    machines: {"blocked":1,"creating":0,"failed":0,"leaving":0,"outdated":5,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000016/status
    failedNodes: "web-0"
    problems: [{"name":"web-0","nextAt":1760000026058,"text":"no route to host","tries":1}]

26.100 s, 1 quiet (1 decided, last at 21.100 s), 1 lists, 0 other calls, 17 probes
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    retryAt: 1760000032232

32.300 s (0 decided, last at 21.100 s), 0 lists, 0 other calls, 18 probes
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    retryAt: 1760000046995
  ~ /default/Job/ID/00000000000000000018/status
    cut: "canary"
    failedNodes: "web-0"
    machines: {"creating":0,"failed":1,"gone":0,"leaving":0,"old":0,"ready":0,"skipped":0,"staging":0,"waiting":4,"wanted":5}
    problems: [{"name":"web-0","text":"the machine could not be reached: no route to host","tries":3}]
    progress: {"cut":"canary","marks":"u....","request":"b274221be44196e3","seen":31301}
    state: "held"
    waits: ["web-0 cannot be reached; 4 of 5 have not started"]

  + /default/Hold/ID/rollout/web/status
    cluster: "shop"
    fact: "web-0 cannot be reached; 4 of 5 have not started"
    group: "web"
    observation: "3b96abb447d46fb1/1/f1ce0519"
    pass: 3
    rule: "rollout"
    since: 1760000032300
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1
  ~ /default/Job/ID/00000000000000000016/status
    problems: [{"name":"web-0","nextAt":1760000046995,"text":"no route to host","tries":3}]
    state: "waiting"
    waits: ["web:rollout"]

741.000 s, 24 held (24 decided, last at 722.300 s), 24 lists, 0 other calls, 2215 probes
=== promoted
=== rollout of shop/web is answered
  ~ /default/Job/ID/00000000000000000018/status
    batch: {"canary":false,"count":3,"number":2,"size":2}
    progress: {"marks":"u....","promotedMarks":"u----","request":"b274221be44196e3","seen":740001}
    state: "running"
    waits: ["out of service: web-0; at most 1 may be"]
    cut: (none)

  - /default/Hold/ID/rollout/web/status
  ~ /default/Cluster/ID/status
    holds: 0
  ~ /default/Job/ID/00000000000000000016/status
    state: "running"
    waits: []

741.100 s, 2 quiet, 1 held (3 decided, last at 741.000 s), 3 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    retryAt: 1760000766689

766.700 s (0 decided, last at 741.000 s), 0 lists, 0 other calls, 80 probes
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    retryAt: 1760000840819

771.000 s (0 decided, last at 741.000 s), 1 lists, 0 other calls, 14 probes
  ~ /default/Job/ID/00000000000000000016/status
    problems: [{"name":"web-0","nextAt":1760000840819,"text":"no route to host","tries":5}]

840.900 s, 3 quiet (3 decided, last at 831.000 s), 2 lists, 0 other calls, 220 probes
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    retryAt: 1760000982135

861.000 s (0 decided, last at 831.000 s), 1 lists, 0 other calls, 61 probes
  ~ /default/Job/ID/00000000000000000016/status
    problems: [{"name":"web-0","nextAt":1760000982135,"text":"no route to host","tries":6}]

982.200 s, 5 quiet (5 decided, last at 981.000 s), 4 lists, 0 other calls, 379 probes
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    retryAt: 1760001228817

1011.000 s (0 decided, last at 981.000 s), 1 lists, 0 other calls, 90 probes
  ~ /default/Job/ID/00000000000000000016/status
    problems: [{"name":"web-0","nextAt":1760001228817,"text":"no route to host","tries":7}]

1041.000 s, 1 quiet (1 decided, last at 1011.000 s), 0 lists, 0 other calls, 95 probes
=== a machine goes meanwhile
  + /default/Control/ID/web/status
    absent: {"fbae27432718000000052c80c771e46a":[1,1040001,1040001]}

1101.000 s, 2 done (2 decided, last at 1071.000 s), 3 lists, 0 other calls, 186 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae27432718000000052c80c771e46a":[2,1040001,1100001]}

1131.000 s, 2 done (2 decided, last at 1131.000 s), 1 lists, 1 other calls, 94 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[1,1130001,1130001,"gone"]}

1136.000 s, 2 done (2 decided, last at 1136.000 s), 2 lists, 1 other calls, 16 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[2,1130001,1135001,"gone"]}

1141.000 s, 2 done (2 decided, last at 1141.000 s), 2 lists, 1 other calls, 15 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[3,1130001,1140001,"gone"]}

1146.000 s, 2 done (2 decided, last at 1146.000 s), 2 lists, 1 other calls, 17 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[4,1130001,1145001,"gone"]}

1151.000 s, 2 done (2 decided, last at 1151.000 s), 2 lists, 1 other calls, 17 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[5,1130001,1150001,"gone"]}

1156.000 s, 2 done (2 decided, last at 1156.000 s), 2 lists, 1 other calls, 15 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[6,1130001,1155001,"gone"]}

1161.000 s, 1 done (1 decided, last at 1156.000 s), 2 lists, 1 other calls, 15 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae27432718000000052c80c771e46a":[3,1040001,1160001]}

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[7,1130001,1160001,"gone"]}

1166.000 s, 3 done (3 decided, last at 1166.000 s), 2 lists, 1 other calls, 15 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[8,1130001,1165001,"gone"]}

1171.000 s, 2 done (2 decided, last at 1171.000 s), 2 lists, 1 other calls, 15 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[9,1130001,1170001,"gone"]}

1176.000 s, 2 done (2 decided, last at 1176.000 s), 2 lists, 1 other calls, 16 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[10,1130001,1175001,"gone"]}

1181.000 s, 2 done (2 decided, last at 1181.000 s), 2 lists, 1 other calls, 15 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[11,1130001,1180001,"gone"]}

1186.000 s, 2 done (2 decided, last at 1186.000 s), 2 lists, 1 other calls, 17 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[12,1130001,1185001,"gone"]}

1191.000 s, 2 done (2 decided, last at 1191.000 s), 2 lists, 1 other calls, 17 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[13,1130001,1190001,"gone"]}

1196.000 s, 2 done (2 decided, last at 1196.000 s), 2 lists, 1 other calls, 15 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[14,1130001,1195001,"gone"]}

1201.000 s, 2 done (2 decided, last at 1201.000 s), 2 lists, 1 other calls, 15 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[15,1130001,1200001,"gone"]}

1206.000 s, 2 done (2 decided, last at 1206.000 s), 2 lists, 1 other calls, 15 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[16,1130001,1205001,"gone"]}

1211.000 s, 2 done (2 decided, last at 1211.000 s), 2 lists, 1 other calls, 15 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[17,1130001,1210001,"gone"]}

1216.000 s, 2 done (2 decided, last at 1216.000 s), 2 lists, 1 other calls, 16 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[18,1130001,1215001,"gone"]}

1221.000 s, 1 done (1 decided, last at 1216.000 s), 2 lists, 0 other calls, 15 probes
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    condemned: 1220001
    pass: 5
    reason: "lost"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"blocked":1,"creating":0,"failed":0,"leaving":1,"outdated":5,"ready":4,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000016/status
    groups: [{"chain":"a413d8c536c2eaba","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":1,"old":0,"outdated":4,"ready":4,"staging":4,"updated":0,"wanted":5}]
    machines: {"creating":0,"leaving":1,"old":0,"outdated":4,"ready":4,"staging":4,"updated":0,"wanted":5}

  + /default/Revoked/ID/fbae27432718000000052c80c771e46a/base
    at: 1760001221000
    id: "web-4.fbae2743271800000005"
    until: 1762593221000
  ~ /default/Job/ID/00000000000000000018/status
    machines: {"creating":0,"failed":1,"gone":1,"leaving":0,"old":0,"ready":0,"skipped":0,"staging":0,"waiting":3,"wanted":5}
    progress: {"marks":"u...g","promotedMarks":"u----","request":"b274221be44196e3","seen":1220001}

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true

  + /default/Control/ID/status
    series: {"fbae27432718":[6,1,1220001]}
  + /default/Resource/ID/fbae27432718000000066c9777a2035b/status
    created: 1220001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760001221000
    pass: 6
    reason: "free_slot"
    slot: 4
    state: "create"
  - /default/Resource/ID/fbae27432718000000052c80c771e46a/status
  ~ /default/Cluster/ID/status
    machines: {"blocked":1,"creating":1,"failed":0,"leaving":0,"outdated":4,"ready":4,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000016/status
    groups: [{"chain":"a413d8c536c2eaba","creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"outdated":4,"ready":4,"staging":4,"updated":0,"wanted":5}]
    machines: {"creating":1,"leaving":0,"old":0,"outdated":4,"ready":4,"staging":4,"updated":0,"wanted":5}

  - /default/Node/ID/fbae27432718000000052c80c771e46a/status
  ~ /default/Job/ID/00000000000000000018/status
    waits: ["out of service: web-4, web-0; at most 1 may be"]

  ~ /default/Resource/ID/fbae27432718000000066c9777a2035b/status
    answered: true
    id: "sim-6"

1223.000 s, 2 done, 4 quiet (6 decided, last at 1222.500 s), 6 lists, 2 other calls, 7 probes
  ~ /default/Resource/ID/fbae27432718000000066c9777a2035b/status
    active: 1222001
    address: "sim-6"
    pass: 7
    starting: true
    state: "active"

  + /default/Node/ID/fbae27432718000000066c9777a2035b/status

1223.100 s, 1 done (1 decided, last at 1223.000 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000066c9777a2035b/status
    keys: {"host":"fbae27432718000000066c9777a2035b","root":"r"}
    since: 1760001223100
    step: "keyed"
    trustGiven: "c0000000000000001.0000000000000001.0.2"

1223.200 s (0 decided, last at 1223.000 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000066c9777a2035b/status
    facts: {"name":"web-4"}
    factsGiven: "307fff75b4a6428c3c3d6983342ac597"
    since: 1760001223200
    step: "facts"

1223.300 s (0 decided, last at 1223.000 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000066c9777a2035b/status
    chainDone: "a413d8c536c2eaba"
    since: 1760001223300
    step: "bootstrapped"

1223.454 s, 1 quiet (1 decided, last at 1223.300 s), 1 lists, 0 other calls, 1 probes
  ~ /default/Resource/ID/fbae27432718000000066c9777a2035b/status
    cause: "open"
    starting: (none)

  ~ /default/Cluster/ID/status
    machines: {"blocked":1,"creating":0,"failed":0,"leaving":0,"outdated":4,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000016/status
    groups: [{"chain":"a413d8c536c2eaba","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"outdated":4,"ready":5,"staging":4,"updated":1,"wanted":5}]
    machines: {"creating":0,"leaving":0,"old":0,"outdated":4,"ready":5,"staging":4,"updated":1,"wanted":5}

  ~ /default/Job/ID/00000000000000000018/status
    progress: {"marks":"u...g","promotedMarks":"u----","request":"b274221be44196e3","seen":1222455}
    waits: ["out of service: web-0; at most 1 may be"]

1228.900 s, 1 quiet (1 decided, last at 1223.454 s), 1 lists, 0 other calls, 16 probes
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    retryAt: 1760001509794

1253.454 s (0 decided, last at 1223.454 s), 1 lists, 0 other calls, 78 probes
  ~ /default/Job/ID/00000000000000000016/status
    problems: [{"name":"web-0","nextAt":1760001509794,"text":"no route to host","tries":8}]

1509.800 s, 9 quiet (9 decided, last at 1493.454 s), 8 lists, 0 other calls, 800 probes
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    retryAt: 1760001669024

1523.454 s (0 decided, last at 1493.454 s), 1 lists, 0 other calls, 42 probes
  ~ /default/Job/ID/00000000000000000016/status
    problems: [{"name":"web-0","nextAt":1760001669024,"text":"no route to host","tries":9}]

1669.100 s, 5 quiet (5 decided, last at 1643.454 s), 4 lists, 0 other calls, 455 probes
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    retryAt: 1760001856173

1673.454 s (0 decided, last at 1643.454 s), 1 lists, 0 other calls, 14 probes
  ~ /default/Job/ID/00000000000000000016/status
    problems: [{"name":"web-0","nextAt":1760001856173,"text":"no route to host","tries":10}]

1761.000 s, 3 quiet (3 decided, last at 1733.454 s), 2 lists, 0 other calls, 274 probes
=== both can be used again
1856.200 s, 4 quiet (4 decided, last at 1853.454 s), 4 lists, 0 other calls, 297 probes
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    blocked: (none)
    blockedSince: (none)
    blockedWhy: (none)
    retryAt: (none)

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    blocked: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":4,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000016/status
    problems: []
    failedNodes: (none)

1856.300 s, 1 quiet (1 decided, last at 1856.200 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    chainDone: "a413d8c536c2eaba"
    job: "3b96abb447d46fb1"
  ~ /default/Job/ID/00000000000000000018/status
    machines: {"creating":0,"failed":0,"gone":1,"leaving":0,"old":0,"ready":1,"skipped":0,"staging":1,"waiting":2,"wanted":5}
    problems: []
    progress: {"marks":"dr..g","promotedMarks":"u----","request":"b274221be44196e3","seen":1855301}
    waits: []
    failedNodes: (none)

  + /default/Node/ID/fbae2743271800000002de820479c4a8/status
    facts: {"name":"web-1"}
    factsGiven: "307fff75b4a6428c3c3d6983342ac597"
    keys: {"host":"fbae2743271800000002de820479c4a8","root":"r"}
    served: 1
    since: 1760000003300
    step: "bootstrapped"
    trustGiven: "c0000000000000001.0000000000000001.0.2"

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    outdated: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":3,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000016/status
    groups: [{"chain":"a413d8c536c2eaba","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"outdated":3,"ready":5,"staging":3,"updated":2,"wanted":5}]
    machines: {"creating":0,"leaving":0,"old":0,"outdated":3,"ready":5,"staging":3,"updated":2,"wanted":5}

1856.500 s, 1 quiet (1 decided, last at 1856.300 s), 1 lists, 0 other calls, 1 probes
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    chainDone: "a413d8c536c2eaba"
    job: "3b96abb447d46fb1"
  ~ /default/Job/ID/00000000000000000018/status
    machines: {"creating":0,"failed":0,"gone":1,"leaving":0,"old":0,"ready":2,"skipped":0,"staging":1,"waiting":1,"wanted":5}
    progress: {"marks":"ddr.g","promotedMarks":"u----","request":"b274221be44196e3","seen":1855501}

  + /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    facts: {"name":"web-2"}
    factsGiven: "307fff75b4a6428c3c3d6983342ac597"
    keys: {"host":"fbae27432718000000034981fbfa71b6","root":"r"}
    served: 1
    since: 1760000003300
    step: "bootstrapped"
    trustGiven: "c0000000000000001.0000000000000001.0.2"

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    outdated: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":2,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000016/status
    groups: [{"chain":"a413d8c536c2eaba","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"outdated":2,"ready":5,"staging":2,"updated":3,"wanted":5}]
    machines: {"creating":0,"leaving":0,"old":0,"outdated":2,"ready":5,"staging":2,"updated":3,"wanted":5}

1856.700 s, 1 quiet (1 decided, last at 1856.500 s), 1 lists, 0 other calls, 2 probes
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    chainDone: "a413d8c536c2eaba"
    job: "3b96abb447d46fb1"
  ~ /default/Job/ID/00000000000000000018/status
    batch: {"canary":false,"count":3,"number":3,"size":2}
    machines: {"creating":0,"failed":0,"gone":1,"leaving":0,"old":0,"ready":3,"skipped":0,"staging":1,"waiting":0,"wanted":5}
    progress: {"marks":"dddrg","promotedMarks":"u----","request":"b274221be44196e3","seen":1855701}

  + /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status
    facts: {"name":"web-3"}
    factsGiven: "307fff75b4a6428c3c3d6983342ac597"
    keys: {"host":"fbae27432718000000047fa3cb7da0a8","root":"r"}
    served: 1
    since: 1760000003300
    step: "bootstrapped"
    trustGiven: "c0000000000000001.0000000000000001.0.2"

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    outdated: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":1,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000016/status
    groups: [{"chain":"a413d8c536c2eaba","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"outdated":1,"ready":5,"staging":1,"updated":4,"wanted":5}]
    machines: {"creating":0,"leaving":0,"old":0,"outdated":1,"ready":5,"staging":1,"updated":4,"wanted":5}

1856.900 s, 1 quiet (1 decided, last at 1856.700 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status
    chainDone: "a413d8c536c2eaba"
    job: "3b96abb447d46fb1"
  ~ /default/Job/ID/00000000000000000018/status
    ended: 1760001856900
    machines: {"creating":0,"failed":0,"gone":1,"leaving":0,"old":0,"ready":4,"skipped":0,"staging":0,"waiting":0,"wanted":5}
    progress: {"marks":"ddddg","promotedMarks":"u----","request":"b274221be44196e3","seen":1855901}
    state: "done"

  - /default/Batches/ID/b274221be44196e3/base

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    outdated: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000016/status
    ended: 1760001856900
    groups: [{"chain":"a413d8c536c2eaba","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":5,"updated":5,"wanted":5}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":5,"updated":5,"wanted":5}
    state: "done"

=== the end
2361.000 s, 17 quiet (2 decided, last at 2336.900 s), 17 lists, 0 other calls, 1575 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-3 web/2 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-4 web/3 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-5 web/4 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 1041000 stopped 0 reboots 0 at 0 ''
sim-6 web/4 {"resourcePlugin":"sim"} zone '' labels  made 1221000 ended 0 stopped 0 reboots 0 at 0 ''
last probe: web-3 at sim-4 port 22 by SSH, 0 words, within 1000 ms
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
machine.running: fact "sim-1 runs" group "web" id "sim-1" node "web-0" pass 2 rule "activate" slot 0
machine.running: fact "sim-2 runs" group "web" id "sim-2" node "web-1" pass 2 rule "activate" slot 1
machine.running: fact "sim-3 runs" group "web" id "sim-3" node "web-2" pass 2 rule "activate" slot 2
machine.running: fact "sim-4 runs" group "web" id "sim-4" node "web-3" pass 2 rule "activate" slot 3
machine.running: fact "sim-5 runs" group "web" id "sim-5" node "web-4" pass 2 rule "activate" slot 4
node.keyed: group "web" id "sim-5" node "web-4" slot 4
node.keyed: group "web" id "sim-4" node "web-3" slot 3
node.keyed: group "web" id "sim-3" node "web-2" slot 2
node.keyed: group "web" id "sim-2" node "web-1" slot 1
node.keyed: group "web" id "sim-1" node "web-0" slot 0
node.bootstrapped: group "web" id "sim-5" node "web-4" slot 4
node.bootstrapped: group "web" id "sim-4" node "web-3" slot 3
node.bootstrapped: group "web" id "sim-3" node "web-2" slot 2
node.bootstrapped: group "web" id "sim-2" node "web-1" slot 1
node.bootstrapped: group "web" id "sim-1" node "web-0" slot 0
machine.ready: group "web" id "sim-1" node "web-0" pass 2 rule "bootstrap" slot 0
machine.ready: fact "open" group "web" id "sim-3" node "web-2" pass 2 rule "probe" slot 2
machine.ready: fact "open" group "web" id "sim-5" node "web-4" pass 2 rule "probe" slot 4
machine.ready: fact "open" group "web" id "sim-2" node "web-1" pass 2 rule "probe" slot 1
machine.ready: fact "open" group "web" id "sim-4" node "web-3" pass 2 rule "probe" slot 3
job.done: fact "job/1"
cluster.changed: actor "ana" groups ["web"] sums {"change":5,"create":0,"destroy":0,"groups":1,"nodes":5,"reboot":0,"replace":0}
job.began: fact "job/16"
job.began: fact "job/18"
job.batch: fact "job/18: batch 1 of 3, web-0"
node.unreachable: fact "no route to host; next try at 2025-10-09T08:53:46.058Z" group "web" id "sim-1" node "web-0" slot 0
job.stopped: fact "job/18: no more machines are started: a canary has failed"
hold.began: fact "web-0 cannot be reached; 4 of 5 have not started" group "web" pass 3 rule "rollout"
hold.approved: actor "ana" group "web" rule "rollout"
job.stopped: fact "job/18: no more machines are started: "
hold.ended: group "web" pass 4 rule "rollout"
machine.condemned: fact "4 absences; 18 lookups by id did not find the machine" group "web" id "sim-5" node "web-4" pass 5 rule "lost" slot 4
node.revoked: fact "the machine is being destroyed" group "web" id "sim-5" node "web-4" slot 4
machine.destroyed: group "web" id "sim-5" node "web-4" pass 5 rule "lost" slot 4
machine.wanted: fact "size is 5, 4 recorded" group "web" node "web-4" pass 6 rule "free_slot" slot 4
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-5" node "web-4" pass 6 rule "forget" slot 4
machine.created: group "web" id "sim-6" node "web-4" pass 6 rule "free_slot" slot 4
machine.running: fact "sim-6 runs" group "web" id "sim-6" node "web-4" pass 7 rule "activate" slot 4
node.keyed: group "web" id "sim-6" node "web-4" slot 4
node.bootstrapped: group "web" id "sim-6" node "web-4" slot 4
machine.ready: fact "open" group "web" id "sim-6" node "web-4" pass 7 rule "probe" slot 4
node.bootstrapped: group "web" id "sim-1" node "web-0" slot 0
job.batch: fact "job/18: batch 2 of 3, web-1"
node.bootstrapped: group "web" id "sim-2" node "web-1" slot 1
job.batch: fact "job/18: batch 2 of 3, web-2"
node.bootstrapped: group "web" id "sim-3" node "web-2" slot 2
job.batch: fact "job/18: batch 3 of 3, web-3"
node.bootstrapped: group "web" id "sim-4" node "web-3" slot 3
job.done: fact "job/18: stages have succeeded on 4 of 5"
job.done: fact "job/16"
