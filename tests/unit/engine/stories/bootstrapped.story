1.000 s (0 decided, last at 0.000 s), 0 lists, 0 other calls, 0 probes
=== three nodes, one of which is slow
  + /default/Lease/ID/status
    ahead: -999
    clock: "lab"
    session: "life-2"

  + /default/Control/ID/status
    series: {"fbae27432718":[3,1,1]}
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
  + /default/Cluster/ID/status
    holds: 0
    machines: {"creating":3,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":3}
    observed: 1

  + /default/Job/ID/00000000000000000001/status
    begun: 1760000001000
    by: "ana"
    cluster: "shop"
    groups: [{"chain":"a409d8c536ba9635","creating":3,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":3}]
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

3.000 s, 1 done, 5 quiet (6 decided, last at 2.500 s), 7 lists, 3 other calls, 0 probes
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

  + /default/Node/ID/fbae27432718000000034981fbfa71b6/status
  + /default/Node/ID/fbae2743271800000002de820479c4a8/status
  + /default/Node/ID/fbae27432718000000014bd8c442c5f8/status

3.100 s, 1 done (1 decided, last at 3.000 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    keys: {"host":"fbae2743271800000002de820479c4a8","root":"r"}
    since: 1760000003100
    step: "keyed"
    trustGiven: "c0000000000000001.0000000000000001.0.2"
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    keys: {"host":"fbae27432718000000014bd8c442c5f8","root":"r"}
    since: 1760000003100
    step: "keyed"
    trustGiven: "c0000000000000001.0000000000000001.0.2"

3.200 s (0 decided, last at 3.000 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    facts: {"name":"web-1"}
    since: 1760000003200
    step: "facts"
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    facts: {"name":"web-0"}
    since: 1760000003200
    step: "facts"

21.100 s, 2 quiet (2 decided, last at 3.708 s), 2 lists, 0 other calls, 34 probes
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    keys: {"host":"fbae27432718000000034981fbfa71b6","root":"r"}
    since: 1760000021100
    step: "keyed"
    trustGiven: "c0000000000000001.0000000000000001.0.2"

21.200 s (0 decided, last at 3.708 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    facts: {"name":"web-2"}
    factsGiven: "994a157ffefbb1ec70662cc606d0424d"
    since: 1760000021200
    step: "facts"
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    factsGiven: "994a157ffefbb1ec70662cc606d0424d"
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    factsGiven: "994a157ffefbb1ec70662cc606d0424d"

21.300 s (0 decided, last at 3.708 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    chainDone: "a409d8c536ba9635"
    since: 1760000021300
    step: "bootstrapped"
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    starting: (none)
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    chainDone: "a409d8c536ba9635"
    since: 1760000021300
    step: "bootstrapped"
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    starting: (none)
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    chainDone: "a409d8c536ba9635"
    since: 1760000021300
    step: "bootstrapped"
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    starting: (none)

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000001/status
    ended: 1760000021300
    groups: [{"chain":"a409d8c536ba9635","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}
    state: "done"

41.000 s, 1 quiet (1 decided, last at 21.300 s), 1 lists, 0 other calls, 38 probes
=== a fourth one fails its stage
  ~ /default/Control/ID/status
    series: {"fbae27432718":[4,1,40001]}
  + /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    created: 40001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000041000
    pass: 3
    reason: "free_slot"
    slot: 3
    state: "create"
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":4}
    observed: 14
  + /default/Job/ID/00000000000000000014/status
    begun: 1760000041000
    by: "ana"
    cluster: "shop"
    groups: [{"chain":"a409d8c536ba9635","creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":3,"updated":3,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":4}
    problems: []
    revision: 14
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true
    id: "sim-4"

43.000 s, 1 done, 4 quiet (5 decided, last at 42.500 s), 6 lists, 1 other calls, 3 probes
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    active: 42001
    address: "sim-4"
    pass: 4
    starting: true
    state: "active"

  + /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status

43.100 s, 1 done (1 decided, last at 43.000 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status
    keys: {"host":"fbae27432718000000047fa3cb7da0a8","root":"r"}
    since: 1760000043100
    step: "keyed"
    trustGiven: "c0000000000000001.0000000000000001.0.2"

43.200 s (0 decided, last at 43.000 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status
    facts: {"name":"web-3"}
    since: 1760000043200
    step: "facts"

43.300 s (0 decided, last at 43.000 s), 0 lists, 0 other calls, 1 probes
  ~ /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status
    factsGiven: "aab515358d0425c08b2f65ee57e47e04"
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    factsGiven: "aab515358d0425c08b2f65ee57e47e04"
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    factsGiven: "aab515358d0425c08b2f65ee57e47e04"
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    factsGiven: "aab515358d0425c08b2f65ee57e47e04"

43.400 s (0 decided, last at 43.000 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status
    attempt: 1
    chainFailed: "a409d8c536ba9635"
    code: 3
    end: "stage failed"
    retry: "0000000000000001"
    since: 1760000043400
    stage: "base"
    startFailure: "base: stage failed: E: no such package"
    step: "failed"
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    failed: 42401

  + /default/Hold/ID/kept/web/status
    cluster: "shop"
    fact: "1 machine"
    group: "web"
    pass: 5
    rule: "kept"
    since: 1760000043400
    wouldCreate: 1
    wouldDestroy: 1
  ~ /default/Cluster/ID/status
    holds: 1
    machines: {"creating":0,"failed":1,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000014/status
    failedNodes: "web-3"
    groups: [{"chain":"a409d8c536ba9635","creating":0,"failed":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":3,"updated":3,"wanted":4}]
    machines: {"creating":0,"failed":1,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":4}
    problems: [{"name":"web-3","node":{"attempt":1,"code":3,"end":"stage failed","number":0,"since":1760000043400,"stage":"base","step":"failed","why":"E: no such package"},"text":"stage-0 base: E: no such package","tries":1}]
    state: "waiting"
    waits: ["web:kept"]

161.000 s, 5 held (5 decided, last at 133.819 s), 5 lists, 0 other calls, 295 probes
=== tried again
  - /default/Hold/ID/kept/web/status
  ~ /default/Cluster/ID/status
    holds: 0
  ~ /default/Job/ID/00000000000000000014/status
    waits: []

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    failed: (none)

  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000014/status
    groups: [{"chain":"a409d8c536ba9635","creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":3,"updated":3,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":4}
    problems: []
    state: "running"
    failedNodes: (none)

161.200 s, 3 quiet (3 decided, last at 161.000 s), 3 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status
    chainDone: "a409d8c536ba9635"
    since: 1760000161200
    step: "bootstrapped"
    chainFailed: (none)
    end: (none)
    startFailure: (none)
    why: (none)
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    starting: (none)

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000014/status
    ended: 1760000161200
    groups: [{"chain":"a409d8c536ba9635","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}
    state: "done"

221.000 s, 2 quiet (2 decided, last at 191.200 s), 2 lists, 0 other calls, 149 probes
=== a fifth one has no room, a sixth one cannot be reached
  ~ /default/Control/ID/status
    series: {"fbae27432718":[6,1,220001]}
  + /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    created: 220001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000221000
    pass: 7
    reason: "free_slot"
    slot: 4
    state: "create"
  + /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    created: 220001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000221000
    pass: 7
    reason: "free_slot"
    slot: 5
    state: "create"
  ~ /default/Cluster/ID/status
    machines: {"creating":2,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":6}
    observed: 30
  + /default/Job/ID/00000000000000000030/status
    begun: 1760000221000
    by: "ana"
    cluster: "shop"
    groups: [{"chain":"a409d8c536ba9635","creating":2,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"updated":4,"wanted":6}]
    machines: {"creating":2,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":6}
    problems: []
    revision: 30
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    answered: true
    id: "sim-6"
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true
    id: "sim-5"

223.000 s, 1 done, 4 quiet (5 decided, last at 222.500 s), 6 lists, 2 other calls, 6 probes
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    active: 222001
    address: "sim-5"
    pass: 8
    starting: true
    state: "active"
  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    active: 222001
    address: "sim-6"
    pass: 8
    starting: true
    state: "active"

  + /default/Node/ID/fbae2743271800000006d526b3fb02f2/status
  + /default/Node/ID/fbae27432718000000052c80c771e46a/status

223.100 s, 1 done (1 decided, last at 223.000 s), 0 lists, 0 other calls, 1 probes
  ~ /default/Node/ID/fbae2743271800000006d526b3fb02f2/status
    blocked: "unreachable"
    blockedSince: 1760000223100
    blockedWhy: "no route to host"
    retryAt: 1760000226828
  ~ /default/Node/ID/fbae27432718000000052c80c771e46a/status
    blocked: "other"
    blockedSince: 1760000223100
    blockedWhy: "No space left on device"
    retryAt: 1760000226495

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    blocked: true
  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    blocked: true
  ~ /default/Cluster/ID/status
    machines: {"blocked":2,"creating":2,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":6}
  ~ /default/Job/ID/00000000000000000030/status
    failedNodes: "web-[4-5]"
    problems: [{"name":"web-4","nextAt":1760000226495,"text":"No space left on device","tries":1},{"name":"web-5","nextAt":1760000226828,"text":"no route to host","tries":1}]
    state: "waiting"

226.500 s, 2 quiet (2 decided, last at 223.608 s), 2 lists, 0 other calls, 12 probes
  ~ /default/Node/ID/fbae27432718000000052c80c771e46a/status
    retryAt: 1760000236115

226.900 s (0 decided, last at 223.608 s), 0 lists, 0 other calls, 2 probes
  ~ /default/Node/ID/fbae2743271800000006d526b3fb02f2/status
    retryAt: 1760000233439

233.500 s (0 decided, last at 223.608 s), 0 lists, 0 other calls, 24 probes
  ~ /default/Node/ID/fbae2743271800000006d526b3fb02f2/status
    retryAt: 1760000252449

236.200 s (0 decided, last at 223.608 s), 0 lists, 0 other calls, 10 probes
  ~ /default/Node/ID/fbae27432718000000052c80c771e46a/status
    retryAt: 1760000252115

252.200 s (0 decided, last at 223.608 s), 0 lists, 0 other calls, 60 probes
  ~ /default/Node/ID/fbae27432718000000052c80c771e46a/status
    retryAt: 1760000279310

252.500 s (0 decided, last at 223.608 s), 0 lists, 0 other calls, 2 probes
  ~ /default/Node/ID/fbae2743271800000006d526b3fb02f2/status
    retryAt: 1760000289952

253.608 s (0 decided, last at 223.608 s), 1 lists, 0 other calls, 4 probes
  ~ /default/Job/ID/00000000000000000030/status
    problems: [{"name":"web-4","nextAt":1760000279310,"text":"No space left on device","tries":4},{"name":"web-5","nextAt":1760000289952,"text":"no route to host","tries":4}]

279.400 s, 1 quiet (1 decided, last at 253.608 s), 0 lists, 0 other calls, 96 probes
  ~ /default/Node/ID/fbae27432718000000052c80c771e46a/status
    retryAt: 1760000321859

283.608 s (0 decided, last at 253.608 s), 1 lists, 0 other calls, 17 probes
  ~ /default/Job/ID/00000000000000000030/status
    problems: [{"name":"web-4","nextAt":1760000321859,"text":"No space left on device","tries":5},{"name":"web-5","nextAt":1760000289952,"text":"no route to host","tries":4}]

290.000 s, 1 quiet (1 decided, last at 283.608 s), 0 lists, 0 other calls, 24 probes
  ~ /default/Node/ID/fbae2743271800000006d526b3fb02f2/status
    retryAt: 1760000339886

313.608 s (0 decided, last at 283.608 s), 1 lists, 0 other calls, 87 probes
  ~ /default/Job/ID/00000000000000000030/status
    problems: [{"name":"web-4","nextAt":1760000321859,"text":"No space left on device","tries":5},{"name":"web-5","nextAt":1760000339886,"text":"no route to host","tries":5}]

321.900 s, 1 quiet (1 decided, last at 313.608 s), 0 lists, 0 other calls, 31 probes
  ~ /default/Node/ID/fbae27432718000000052c80c771e46a/status
    retryAt: 1760000428578

339.900 s (0 decided, last at 313.608 s), 0 lists, 0 other calls, 69 probes
  ~ /default/Node/ID/fbae2743271800000006d526b3fb02f2/status
    retryAt: 1760000471499

343.608 s (0 decided, last at 313.608 s), 1 lists, 0 other calls, 14 probes
  ~ /default/Job/ID/00000000000000000030/status
    problems: [{"name":"web-4","nextAt":1760000428578,"text":"No space left on device","tries":6},{"name":"web-5","nextAt":1760000471499,"text":"no route to host","tries":6}]

428.600 s, 3 quiet (3 decided, last at 403.608 s), 2 lists, 0 other calls, 318 probes
  ~ /default/Node/ID/fbae27432718000000052c80c771e46a/status
    retryAt: 1760000655824

433.608 s (0 decided, last at 403.608 s), 1 lists, 0 other calls, 19 probes
  ~ /default/Job/ID/00000000000000000030/status
    problems: [{"name":"web-4","nextAt":1760000655824,"text":"No space left on device","tries":7},{"name":"web-5","nextAt":1760000471499,"text":"no route to host","tries":6}]

471.500 s, 2 quiet (2 decided, last at 463.608 s), 1 lists, 0 other calls, 141 probes
  ~ /default/Node/ID/fbae2743271800000006d526b3fb02f2/status
    retryAt: 1760000671464

493.608 s (0 decided, last at 463.608 s), 1 lists, 0 other calls, 84 probes
  ~ /default/Job/ID/00000000000000000030/status
    problems: [{"name":"web-4","nextAt":1760000655824,"text":"No space left on device","tries":7},{"name":"web-5","nextAt":1760000671464,"text":"no route to host","tries":7}]

521.000 s, 1 quiet (1 decided, last at 493.608 s), 0 lists, 0 other calls, 102 probes
=== both can be used
655.900 s, 5 quiet (5 decided, last at 643.608 s), 5 lists, 0 other calls, 506 probes
  ~ /default/Node/ID/fbae27432718000000052c80c771e46a/status
    keys: {"host":"fbae27432718000000052c80c771e46a","root":"r"}
    since: 1760000655900
    step: "keyed"
    trustGiven: "c0000000000000001.0000000000000001.0.2"

656.000 s (0 decided, last at 643.608 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000052c80c771e46a/status
    facts: {"name":"web-4"}
    since: 1760000656000
    step: "facts"

661.100 s (0 decided, last at 643.608 s), 0 lists, 0 other calls, 19 probes
  ~ /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status
    factsGiven: "307fff75b4a6428c3c3d6983342ac597"
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    factsGiven: "307fff75b4a6428c3c3d6983342ac597"
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    factsGiven: "307fff75b4a6428c3c3d6983342ac597"
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    factsGiven: "307fff75b4a6428c3c3d6983342ac597"

671.500 s (0 decided, last at 643.608 s), 0 lists, 0 other calls, 39 probes
  ~ /default/Node/ID/fbae2743271800000006d526b3fb02f2/status
    keys: {"host":"fbae2743271800000006d526b3fb02f2","root":"r"}
    since: 1760000671500
    step: "keyed"
    trustGiven: "c0000000000000001.0000000000000001.0.2"
    blocked: (none)
    blockedSince: (none)
    blockedWhy: (none)
    retryAt: (none)

  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    blocked: (none)
  ~ /default/Cluster/ID/status
    machines: {"blocked":1,"creating":2,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":6}
  ~ /default/Job/ID/00000000000000000030/status
    failedNodes: "web-4"
    problems: [{"name":"web-4","nextAt":1760000655824,"text":"No space left on device","tries":7}]
    state: "running"

671.600 s, 2 quiet (2 decided, last at 671.500 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae2743271800000006d526b3fb02f2/status
    facts: {"name":"web-5"}
    since: 1760000671600
    step: "facts"

671.700 s (0 decided, last at 671.500 s), 0 lists, 0 other calls, 2 probes
  ~ /default/Node/ID/fbae2743271800000006d526b3fb02f2/status
    factsGiven: "995bc7d262eaf50067a60887b34b9102"
  ~ /default/Node/ID/fbae27432718000000052c80c771e46a/status
    factsGiven: "995bc7d262eaf50067a60887b34b9102"
  ~ /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status
    factsGiven: "995bc7d262eaf50067a60887b34b9102"
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    factsGiven: "995bc7d262eaf50067a60887b34b9102"
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    factsGiven: "995bc7d262eaf50067a60887b34b9102"
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    factsGiven: "995bc7d262eaf50067a60887b34b9102"

671.800 s (0 decided, last at 671.500 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae2743271800000006d526b3fb02f2/status
    chainDone: "a409d8c536ba9635"
    since: 1760000671800
    step: "bootstrapped"
  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    starting: (none)
  ~ /default/Node/ID/fbae27432718000000052c80c771e46a/status
    chainDone: "a409d8c536ba9635"
    since: 1760000671800
    step: "bootstrapped"
    blocked: (none)
    blockedSince: (none)
    blockedWhy: (none)
    retryAt: (none)
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    starting: (none)

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    blocked: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":6,"unhealthy":0,"unreachable":0,"wanted":6}
  ~ /default/Job/ID/00000000000000000030/status
    ended: 1760000671800
    groups: [{"chain":"a409d8c536ba9635","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":6,"updated":6,"wanted":6}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":6,"updated":6,"wanted":6}
    problems: []
    state: "done"
    failedNodes: (none)

=== the end
1121.000 s, 15 quiet (2 decided, last at 1091.800 s), 15 lists, 0 other calls, 1684 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-3 web/2 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-4 web/3 {"resourcePlugin":"sim"} zone '' labels  made 41000 ended 0 stopped 0 reboots 0 at 0 ''
sim-5 web/4 {"resourcePlugin":"sim"} zone '' labels  made 221000 ended 0 stopped 0 reboots 0 at 0 ''
sim-6 web/5 {"resourcePlugin":"sim"} zone '' labels  made 221000 ended 0 stopped 0 reboots 0 at 0 ''
last probe: web-3 at sim-4 port 22 by SSH, 0 words, within 1000 ms
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
node.keyed: group "web" id "sim-2" node "web-1" slot 1
node.keyed: group "web" id "sim-1" node "web-0" slot 0
node.keyed: group "web" id "sim-3" node "web-2" slot 2
node.bootstrapped: group "web" id "sim-3" node "web-2" slot 2
machine.ready: group "web" id "sim-3" node "web-2" pass 2 rule "bootstrap" slot 2
node.bootstrapped: group "web" id "sim-2" node "web-1" slot 1
machine.ready: group "web" id "sim-2" node "web-1" pass 2 rule "bootstrap" slot 1
node.bootstrapped: group "web" id "sim-1" node "web-0" slot 0
machine.ready: group "web" id "sim-1" node "web-0" pass 2 rule "bootstrap" slot 0
job.done: fact "job/1"
cluster.changed: actor "ana" groups ["web"] sums {"change":0,"create":1,"destroy":0,"groups":1,"nodes":4,"reboot":0,"replace":0}
machine.wanted: fact "size is 4, 3 recorded" group "web" node "web-3" pass 3 rule "free_slot" slot 3
job.began: fact "job/14"
machine.created: group "web" id "sim-4" node "web-3" pass 3 rule "free_slot" slot 3
machine.running: fact "sim-4 runs" group "web" id "sim-4" node "web-3" pass 4 rule "activate" slot 3
node.keyed: group "web" id "sim-4" node "web-3" slot 3
node.failed: fact "stage-0 base: stage failed: E: no such package" group "web" id "sim-4" node "web-3" slot 3
hold.began: fact "1 machine" group "web" pass 5 rule "kept"
hold.ended: group "web" pass 6 rule "kept"
node.bootstrapped: group "web" id "sim-4" node "web-3" slot 3
machine.ready: group "web" id "sim-4" node "web-3" pass 4 rule "bootstrap" slot 3
job.done: fact "job/14"
cluster.changed: actor "ana" groups ["web"] sums {"change":0,"create":2,"destroy":0,"groups":1,"nodes":6,"reboot":0,"replace":0}
machine.wanted: fact "size is 6, 4 recorded" group "web" node "web-4" pass 7 rule "free_slot" slot 4
machine.wanted: fact "size is 6, 4 recorded" group "web" node "web-5" pass 7 rule "free_slot" slot 5
job.began: fact "job/30"
machine.created: group "web" id "sim-6" node "web-5" pass 7 rule "free_slot" slot 5
machine.created: group "web" id "sim-5" node "web-4" pass 7 rule "free_slot" slot 4
machine.running: fact "sim-5 runs" group "web" id "sim-5" node "web-4" pass 8 rule "activate" slot 4
machine.running: fact "sim-6 runs" group "web" id "sim-6" node "web-5" pass 8 rule "activate" slot 5
node.unreachable: fact "no route to host; next try at 2025-10-09T08:57:06.828Z" group "web" id "sim-6" node "web-5" slot 5
node.refused: fact "No space left on device; next try at 2025-10-09T08:57:06.495Z" group "web" id "sim-5" node "web-4" slot 4
node.keyed: group "web" id "sim-5" node "web-4" slot 4
node.keyed: group "web" id "sim-6" node "web-5" slot 5
node.bootstrapped: group "web" id "sim-6" node "web-5" slot 5
machine.ready: group "web" id "sim-6" node "web-5" pass 8 rule "bootstrap" slot 5
node.bootstrapped: group "web" id "sim-5" node "web-4" slot 4
machine.ready: group "web" id "sim-5" node "web-4" pass 8 rule "bootstrap" slot 4
job.done: fact "job/30"
