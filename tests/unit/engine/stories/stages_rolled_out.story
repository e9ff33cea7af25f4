21.000 s (0 decided, last at 3.819 s), 0 lists, 0 other calls, 0 probes
=== another argument, one after the other
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
  + /default/Cluster/ID/status
    holds: 0
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":4,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
    observed: 16
  + /default/Job/ID/00000000000000000016/status
    begun: 1760000021000
    by: "ana"
    cluster: "shop"
    groups: [{"chain":"a413d8c536c2eaba","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"outdated":4,"ready":4,"staging":4,"updated":0,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"outdated":4,"ready":4,"staging":4,"updated":0,"wanted":4}
    problems: []
    revision: 16
    state: "running"
    waits: []

  + /default/Batches/ID/b274221be44196e3/base
    at: 1760000021000
    bake: 20000
    batches: [1,2,3,4]
    canaries: 1
    chain: "a413d8c536c2eaba"
    group: "web"
    maxFail: 1
    nodes: "fbae27432718000000014bd8c442c5f8,fbae2743271800000002de820479c4a8,fbae27432718000000034981fbfa71b6,fbae27432718000000047fa3cb7da0a8"

  + /default/Job/ID/00000000000000000018/status
    batch: {"canary":true,"count":4,"number":1,"size":1}
    begun: 1760000021000
    cluster: "shop"
    group: "web"
    groups: []
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":0,"skipped":0,"staging":0,"waiting":4,"wanted":4}
    problems: []
    progress: {"marks":"....","request":"b274221be44196e3","seen":20001}
    revision: 18
    state: "running"
    verb: "rollout"
    waits: []

  ~ /default/Job/ID/00000000000000000018/status
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":0,"skipped":0,"staging":1,"waiting":3,"wanted":4}
    progress: {"marks":"r...","request":"b274221be44196e3","seen":20001}

  + /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    facts: {"name":"web-0"}
    factsGiven: "aab515358d0425c08b2f65ee57e47e04"
    keys: {"host":"fbae27432718000000014bd8c442c5f8","root":"r"}
    served: 1
    since: 1760000003300
    step: "bootstrapped"
    trustGiven: "c0000000000000001.0000000000000001.0.2"

21.200 s, 2 quiet (2 decided, last at 21.000 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    chainDone: "a413d8c536c2eaba"
    job: "3b96abb447d46fb1"
  ~ /default/Job/ID/00000000000000000018/status
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":1,"skipped":0,"staging":0,"waiting":3,"wanted":4}
    progress: {"marks":"d...","request":"b274221be44196e3","rest":20201,"seen":20201}
    state: "resting"
    until: 1760000041200

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    outdated: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":3,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000016/status
    groups: [{"chain":"a413d8c536c2eaba","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"outdated":3,"ready":4,"staging":3,"updated":1,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"outdated":3,"ready":4,"staging":3,"updated":1,"wanted":4}

41.200 s, 1 quiet (1 decided, last at 21.200 s), 1 lists, 0 other calls, 51 probes
  ~ /default/Job/ID/00000000000000000018/status
    batch: {"canary":false,"count":4,"number":2,"size":1}
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":1,"skipped":0,"staging":1,"waiting":2,"wanted":4}
    progress: {"marks":"dr..","request":"b274221be44196e3","seen":40201}
    state: "running"
    until: (none)

  + /default/Node/ID/fbae2743271800000002de820479c4a8/status
    facts: {"name":"web-1"}
    factsGiven: "aab515358d0425c08b2f65ee57e47e04"
    keys: {"host":"fbae2743271800000002de820479c4a8","root":"r"}
    served: 1
    since: 1760000003300
    step: "bootstrapped"
    trustGiven: "c0000000000000001.0000000000000001.0.2"

41.400 s (0 decided, last at 21.200 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    chainDone: "a413d8c536c2eaba"
    job: "3b96abb447d46fb1"
  ~ /default/Job/ID/00000000000000000018/status
    batch: {"canary":false,"count":4,"number":3,"size":1}
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":2,"skipped":0,"staging":1,"waiting":1,"wanted":4}
    progress: {"marks":"ddr.","request":"b274221be44196e3","seen":40401}

  + /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    facts: {"name":"web-2"}
    factsGiven: "aab515358d0425c08b2f65ee57e47e04"
    keys: {"host":"fbae27432718000000034981fbfa71b6","root":"r"}
    served: 1
    since: 1760000003300
    step: "bootstrapped"
    trustGiven: "c0000000000000001.0000000000000001.0.2"

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    outdated: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":2,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000016/status
    groups: [{"chain":"a413d8c536c2eaba","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"outdated":2,"ready":4,"staging":2,"updated":2,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"outdated":2,"ready":4,"staging":2,"updated":2,"wanted":4}

41.600 s, 1 quiet (1 decided, last at 41.400 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    chainDone: "a413d8c536c2eaba"
    job: "3b96abb447d46fb1"
  ~ /default/Job/ID/00000000000000000018/status
    batch: {"canary":false,"count":4,"number":4,"size":1}
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":3,"skipped":0,"staging":1,"waiting":0,"wanted":4}
    progress: {"marks":"dddr","request":"b274221be44196e3","seen":40601}

  + /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status
    facts: {"name":"web-3"}
    factsGiven: "aab515358d0425c08b2f65ee57e47e04"
    keys: {"host":"fbae27432718000000047fa3cb7da0a8","root":"r"}
    served: 1
    since: 1760000003300
    step: "bootstrapped"
    trustGiven: "c0000000000000001.0000000000000001.0.2"

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    outdated: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":1,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000016/status
    groups: [{"chain":"a413d8c536c2eaba","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"outdated":1,"ready":4,"staging":1,"updated":3,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"outdated":1,"ready":4,"staging":1,"updated":3,"wanted":4}

41.800 s, 1 quiet (1 decided, last at 41.600 s), 1 lists, 0 other calls, 1 probes
  ~ /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status
    chainDone: "a413d8c536c2eaba"
    job: "3b96abb447d46fb1"
  ~ /default/Job/ID/00000000000000000018/status
    ended: 1760000041800
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":4,"skipped":0,"staging":0,"waiting":0,"wanted":4}
    progress: {"marks":"dddd","request":"b274221be44196e3","seen":40801}
    state: "done"

  - /default/Batches/ID/b274221be44196e3/base

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    outdated: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000016/status
    ended: 1760000041800
    groups: [{"chain":"a413d8c536c2eaba","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}
    state: "done"

201.000 s, 6 quiet (2 decided, last at 191.800 s), 6 lists, 0 other calls, 399 probes
=== an argument that fails on the canary
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    outdated: true
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    outdated: true
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    outdated: true
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    outdated: true
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":4,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
    observed: 35
  + /default/Job/ID/00000000000000000035/status
    begun: 1760000201000
    by: "ana"
    cluster: "shop"
    groups: [{"chain":"a41050c536bfcdcb","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"outdated":4,"ready":4,"staging":4,"updated":0,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"outdated":4,"ready":4,"staging":4,"updated":0,"wanted":4}
    problems: []
    revision: 35
    state: "running"
    waits: []

  + /default/Batches/ID/040ee1142e4a5947/base
    at: 1760000201000
    bake: 20000
    batches: [1,2,3,4]
    canaries: 1
    chain: "a41050c536bfcdcb"
    group: "web"
    maxFail: 1
    nodes: "fbae27432718000000014bd8c442c5f8,fbae2743271800000002de820479c4a8,fbae27432718000000034981fbfa71b6,fbae27432718000000047fa3cb7da0a8"

  + /default/Job/ID/00000000000000000037/status
    batch: {"canary":true,"count":4,"number":1,"size":1}
    begun: 1760000201000
    cluster: "shop"
    group: "web"
    groups: []
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":0,"skipped":0,"staging":0,"waiting":4,"wanted":4}
    problems: []
    progress: {"marks":"....","request":"040ee1142e4a5947","seen":200001}
    revision: 37
    state: "running"
    verb: "rollout"
    waits: []

  ~ /default/Job/ID/00000000000000000037/status
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":0,"skipped":0,"staging":1,"waiting":3,"wanted":4}
    progress: {"marks":"r...","request":"040ee1142e4a5947","seen":200001}

  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    chainDone: (none)

201.200 s, 2 quiet (2 decided, last at 201.000 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    attempt: 1
    chainFailed: "a41050c536bfcdcb"
    code: 3
    end: "stage failed"
    job: "6c53f9e896693499"
    retry: "0000000000000001"
    since: 1760000201200
    stage: "base"
    step: "failed"
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    failed: 200201
  ~ /default/Job/ID/00000000000000000037/status
    cut: "canary"
    failedNodes: "web-0"
    machines: {"creating":0,"failed":1,"gone":0,"leaving":0,"old":0,"ready":0,"skipped":0,"staging":0,"waiting":3,"wanted":4}
    problems: [{"name":"web-0","node":{"attempt":1,"code":3,"end":"stage failed","number":0,"since":1760000201200,"stage":"base","step":"failed","why":"E: no such package"},"text":"stage-0 base: E: no such package","tries":1}]
    progress: {"cut":"canary","marks":"f...","request":"040ee1142e4a5947","seen":200201}
    state: "held"
    waits: ["web-0 stage-0 base failed with exit code 3: E: no such package; 3 of 4 have not started"]

  + /default/Hold/ID/rollout/web/status
    cluster: "shop"
    fact: "web-0 stage-0 base failed with exit code 3: E: no such package; 3 of 4 have not started"
    group: "web"
    observation: "6c53f9e896693499/1/d9937182"
    pass: 3
    rule: "rollout"
    since: 1760000201200
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1
    machines: {"creating":0,"failed":1,"leaving":0,"outdated":4,"ready":3,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000035/status
    failedNodes: "web-0"
    groups: [{"chain":"a41050c536bfcdcb","creating":0,"failed":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"outdated":4,"ready":3,"staging":3,"updated":0,"wanted":4}]
    machines: {"creating":0,"failed":1,"leaving":0,"old":0,"outdated":4,"ready":3,"staging":3,"updated":0,"wanted":4}
    problems: [{"name":"web-0","node":{"attempt":1,"code":3,"end":"stage failed","number":0,"since":1760000201200,"stage":"base","step":"failed","why":"E: no such package"},"text":"stage-0 base: E: no such package","tries":1}]
    state: "waiting"
    waits: ["web:rollout"]

381.000 s, 6 held (6 decided, last at 351.200 s), 6 lists, 0 other calls, 449 probes
=== another one that does not
  - /default/Hold/ID/rollout/web/status
  ~ /default/Cluster/ID/status
    holds: 0
    observed: 43
  ~ /default/Job/ID/00000000000000000035/status
    ended: 1760000381000
    state: "superseded"
    supersededBy: "job/43"
  + /default/Job/ID/00000000000000000043/status
    begun: 1760000381000
    by: "ana"
    cluster: "shop"
    groups: [{"chain":"a3ff50c536b15a98","creating":0,"failed":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"outdated":4,"ready":3,"staging":4,"updated":0,"wanted":4}]
    machines: {"creating":0,"failed":1,"leaving":0,"old":0,"outdated":4,"ready":3,"staging":4,"updated":0,"wanted":4}
    problems: []
    revision: 43
    state: "running"
    waits: []

  + /default/Batches/ID/6e8215de7c158223/base
    at: 1760000381000
    bake: 20000
    batches: [1,2,3,4]
    canaries: 1
    chain: "a3ff50c536b15a98"
    group: "web"
    maxFail: 1
    nodes: "fbae27432718000000014bd8c442c5f8,fbae2743271800000002de820479c4a8,fbae27432718000000034981fbfa71b6,fbae27432718000000047fa3cb7da0a8"
  ~ /default/Job/ID/00000000000000000037/status
    ended: 1760000381000
    progress: {"cut":"canary","marks":"f...","request":"040ee1142e4a5947","seen":380001}
    state: "superseded"
    waits: []

  - /default/Batches/ID/040ee1142e4a5947/base
  + /default/Job/ID/00000000000000000045/status
    batch: {"canary":true,"count":4,"number":1,"size":1}
    begun: 1760000381000
    cluster: "shop"
    group: "web"
    groups: []
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":0,"skipped":0,"staging":0,"waiting":4,"wanted":4}
    problems: []
    progress: {"marks":"....","request":"6e8215de7c158223","seen":380001}
    revision: 45
    state: "running"
    verb: "rollout"
    waits: []

  ~ /default/Job/ID/00000000000000000045/status
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":0,"skipped":0,"staging":1,"waiting":3,"wanted":4}
    progress: {"marks":"r...","request":"6e8215de7c158223","seen":380001}

381.200 s, 2 quiet (2 decided, last at 381.000 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    chainDone: "a3ff50c536b15a98"
    job: "f909c87d7c9b823f"
    since: 1760000381200
    step: "bootstrapped"
    chainFailed: (none)
    end: (none)
    why: (none)
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    failed: (none)
  ~ /default/Job/ID/00000000000000000045/status
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":1,"skipped":0,"staging":0,"waiting":3,"wanted":4}
    progress: {"marks":"d...","request":"6e8215de7c158223","rest":380201,"seen":380201}
    state: "resting"
    until: 1760000401200

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    outdated: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":3,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000043/status
    groups: [{"chain":"a3ff50c536b15a98","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"outdated":3,"ready":4,"staging":3,"updated":1,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"outdated":3,"ready":4,"staging":3,"updated":1,"wanted":4}

401.200 s, 1 quiet (1 decided, last at 381.200 s), 1 lists, 0 other calls, 51 probes
  ~ /default/Job/ID/00000000000000000045/status
    batch: {"canary":false,"count":4,"number":2,"size":1}
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":1,"skipped":0,"staging":1,"waiting":2,"wanted":4}
    progress: {"marks":"dr..","request":"6e8215de7c158223","seen":400201}
    state: "running"
    until: (none)

  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    chainDone: (none)

401.400 s (0 decided, last at 381.200 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    chainDone: "a3ff50c536b15a98"
    job: "f909c87d7c9b823f"
  ~ /default/Job/ID/00000000000000000045/status
    batch: {"canary":false,"count":4,"number":3,"size":1}
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":2,"skipped":0,"staging":1,"waiting":1,"wanted":4}
    progress: {"marks":"ddr.","request":"6e8215de7c158223","seen":400401}

  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    chainDone: (none)

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    outdated: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":2,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000043/status
    groups: [{"chain":"a3ff50c536b15a98","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"outdated":2,"ready":4,"staging":2,"updated":2,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"outdated":2,"ready":4,"staging":2,"updated":2,"wanted":4}

401.600 s, 1 quiet (1 decided, last at 401.400 s), 1 lists, 0 other calls, 1 probes
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    chainDone: "a3ff50c536b15a98"
    job: "f909c87d7c9b823f"
  ~ /default/Job/ID/00000000000000000045/status
    batch: {"canary":false,"count":4,"number":4,"size":1}
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":3,"skipped":0,"staging":1,"waiting":0,"wanted":4}
    progress: {"marks":"dddr","request":"6e8215de7c158223","seen":400601}

  ~ /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status
    chainDone: (none)

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    outdated: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":1,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000043/status
    groups: [{"chain":"a3ff50c536b15a98","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"outdated":1,"ready":4,"staging":1,"updated":3,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"outdated":1,"ready":4,"staging":1,"updated":3,"wanted":4}

401.800 s, 1 quiet (1 decided, last at 401.600 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status
    chainDone: "a3ff50c536b15a98"
    job: "f909c87d7c9b823f"
  ~ /default/Job/ID/00000000000000000045/status
    ended: 1760000401800
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":4,"skipped":0,"staging":0,"waiting":0,"wanted":4}
    progress: {"marks":"dddd","request":"6e8215de7c158223","seen":400801}
    state: "done"

  - /default/Batches/ID/6e8215de7c158223/base

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    outdated: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000043/status
    ended: 1760000401800
    groups: [{"chain":"a3ff50c536b15a98","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}
    state: "done"

=== the end
561.000 s, 6 quiet (2 decided, last at 551.800 s), 6 lists, 0 other calls, 399 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-3 web/2 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-4 web/3 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
last probe: web-3 at sim-4 port 22 by SSH, 0 words, within 1000 ms
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
node.keyed: group "web" id "sim-4" node "web-3" slot 3
node.keyed: group "web" id "sim-3" node "web-2" slot 2
node.keyed: group "web" id "sim-2" node "web-1" slot 1
node.keyed: group "web" id "sim-1" node "web-0" slot 0
node.bootstrapped: group "web" id "sim-4" node "web-3" slot 3
node.bootstrapped: group "web" id "sim-3" node "web-2" slot 2
node.bootstrapped: group "web" id "sim-2" node "web-1" slot 1
node.bootstrapped: group "web" id "sim-1" node "web-0" slot 0
machine.ready: group "web" id "sim-1" node "web-0" pass 2 rule "bootstrap" slot 0
machine.ready: fact "open" group "web" id "sim-2" node "web-1" pass 2 rule "probe" slot 1
machine.ready: fact "open" group "web" id "sim-3" node "web-2" pass 2 rule "probe" slot 2
machine.ready: fact "open" group "web" id "sim-4" node "web-3" pass 2 rule "probe" slot 3
job.done: fact "job/1"
cluster.changed: actor "ana" groups ["web"] sums {"change":4,"create":0,"destroy":0,"groups":1,"nodes":4,"reboot":0,"replace":0}
job.began: fact "job/16"
job.began: fact "job/18"
job.batch: fact "job/18: batch 1 of 4, web-0"
node.bootstrapped: group "web" id "sim-1" node "web-0" slot 0
job.batch: fact "job/18: batch 2 of 4, web-1"
node.bootstrapped: group "web" id "sim-2" node "web-1" slot 1
job.batch: fact "job/18: batch 3 of 4, web-2"
node.bootstrapped: group "web" id "sim-3" node "web-2" slot 2
job.batch: fact "job/18: batch 4 of 4, web-3"
node.bootstrapped: group "web" id "sim-4" node "web-3" slot 3
job.done: fact "job/18: stages have succeeded on 4 of 4"
job.done: fact "job/16"
cluster.changed: actor "ana" groups ["web"] sums {"change":4,"create":0,"destroy":0,"groups":1,"nodes":4,"reboot":0,"replace":0}
job.began: fact "job/35"
job.began: fact "job/37"
job.batch: fact "job/37: batch 1 of 4, web-0"
node.failed: fact "stage-0 base: stage failed: E: no such package" group "web" id "sim-1" node "web-0" slot 0
job.stopped: fact "job/37: no more machines are started: a canary has failed"
hold.began: fact "web-0 stage-0 base failed with exit code 3: E: no such package; 3 of 4 have not started" group "web" pass 3 rule "rollout"
cluster.changed: actor "ana" groups ["web"] sums {"change":4,"create":0,"destroy":0,"groups":1,"nodes":4,"reboot":0,"replace":0}
hold.ended: group "web" pass 4 rule "rollout"
job.began: fact "job/43"
job.done: fact "job/37: stages have succeeded on 0 of 4"
job.began: fact "job/45"
job.batch: fact "job/45: batch 1 of 4, web-0"
node.bootstrapped: group "web" id "sim-1" node "web-0" slot 0
job.batch: fact "job/45: batch 2 of 4, web-1"
node.bootstrapped: group "web" id "sim-2" node "web-1" slot 1
job.batch: fact "job/45: batch 3 of 4, web-2"
node.bootstrapped: group "web" id "sim-3" node "web-2" slot 2
job.batch: fact "job/45: batch 4 of 4, web-3"
node.bootstrapped: group "web" id "sim-4" node "web-3" slot 3
job.done: fact "job/45: stages have succeeded on 4 of 4"
job.done: fact "job/43"
