21.000 s (0 decided, last at 3.729 s), 0 lists, 0 other calls, 0 probes
=== an argument that fails everywhere, three at once
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
  + /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    active: 2001
    address: "sim-6"
    answered: true
    cause: "open"
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    id: "sim-6"
    made: 1760000001000
    outdated: true
    pass: 2
    reason: "free_slot"
    slot: 5
    state: "active"
  + /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    active: 2001
    address: "sim-7"
    answered: true
    cause: "open"
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    id: "sim-7"
    made: 1760000001000
    outdated: true
    pass: 2
    reason: "free_slot"
    slot: 6
    state: "active"
  + /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    active: 2001
    address: "sim-8"
    answered: true
    cause: "open"
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    id: "sim-8"
    made: 1760000001000
    outdated: true
    pass: 2
    reason: "free_slot"
    slot: 7
    state: "active"
  + /default/Cluster/ID/status
    holds: 0
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":8,"ready":8,"unhealthy":0,"unreachable":0,"wanted":8}
    observed: 18
  + /default/Job/ID/00000000000000000018/status
    begun: 1760000021000
    by: "ana"
    cluster: "shop"
    groups: [{"chain":"a413d8c536c2eaba","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"outdated":8,"ready":8,"staging":8,"updated":0,"wanted":8}]
    machines: {"creating":0,"leaving":0,"old":0,"outdated":8,"ready":8,"staging":8,"updated":0,"wanted":8}
    problems: []
    revision: 18
    state: "running"
    waits: []

  + /default/Batches/ID/b274221be44196e3/base
    at: 1760000021000
    batches: [1,4,7,8]
    canaries: 1
    chain: "a413d8c536c2eaba"
    group: "web"
    maxFail: 6
    nodes: "fbae27432718000000014bd8c442c5f8,fbae2743271800000002de820479c4a8,fbae27432718000000034981fbfa71b6,fbae27432718000000047fa3cb7da0a8,fbae27432718000000052c80c771e46a,fbae2743271800000006d526b3fb02f2,fbae2743271800000007ff39ce7d3478,fbae2743271800000008bd5b8c474eec"

  + /default/Job/ID/00000000000000000020/status
    batch: {"canary":true,"count":4,"number":1,"size":1}
    begun: 1760000021000
    cluster: "shop"
    group: "web"
    groups: []
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":0,"skipped":0,"staging":0,"waiting":8,"wanted":8}
    problems: []
    progress: {"marks":"........","request":"b274221be44196e3","seen":20001}
    revision: 20
    state: "running"
    verb: "rollout"
    waits: []

  ~ /default/Job/ID/00000000000000000020/status
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":0,"skipped":0,"staging":1,"waiting":7,"wanted":8}
    progress: {"marks":"r.......","request":"b274221be44196e3","seen":20001}

  + /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    facts: {"name":"web-0"}
    factsGiven: "67c994b00857fd00375dae90ed20f0d8"
    keys: {"host":"fbae27432718000000014bd8c442c5f8","root":"r"}
    served: 1
    since: 1760000003300
    step: "bootstrapped"
    trustGiven: "c0000000000000001.0000000000000001.0.2"

21.200 s, 2 quiet (2 decided, last at 21.000 s), 2 lists, 0 other calls, 2 probes
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    attempt: 1
    chainFailed: "a413d8c536c2eaba"
    code: 3
    end: "stage failed"
    job: "3b96abb447d46fb1"
    retry: "0000000000000001"
    since: 1760000021200
    stage: "base"
    step: "failed"
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    failed: 20201
  ~ /default/Job/ID/00000000000000000020/status
    cut: "canary"
    failedNodes: "web-0"
    machines: {"creating":0,"failed":1,"gone":0,"leaving":0,"old":0,"ready":0,"skipped":0,"staging":0,"waiting":7,"wanted":8}
    problems: [{"name":"web-0","node":{"attempt":1,"code":3,"end":"stage failed","number":0,"since":1760000021200,"stage":"base","step":"failed","why":"E: no such package"},"text":"stage-0 base: E: no such package","tries":1}]
    progress: {"cut":"canary","marks":"f.......","request":"b274221be44196e3","seen":20201}
    state: "held"
    waits: ["web-0 stage-0 base failed with exit code 3: E: no such package; 7 of 8 have not started"]

  + /default/Hold/ID/rollout/web/status
    cluster: "shop"
    fact: "web-0 stage-0 base failed with exit code 3: E: no such package; 7 of 8 have not started"
    group: "web"
    observation: "3b96abb447d46fb1/1/d9937182"
    pass: 3
    rule: "rollout"
    since: 1760000021200
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1
    machines: {"creating":0,"failed":1,"leaving":0,"outdated":8,"ready":7,"unhealthy":0,"unreachable":0,"wanted":8}
  ~ /default/Job/ID/00000000000000000018/status
    failedNodes: "web-0"
    groups: [{"chain":"a413d8c536c2eaba","creating":0,"failed":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"outdated":8,"ready":7,"staging":7,"updated":0,"wanted":8}]
    machines: {"creating":0,"failed":1,"leaving":0,"old":0,"outdated":8,"ready":7,"staging":7,"updated":0,"wanted":8}
    problems: [{"name":"web-0","node":{"attempt":1,"code":3,"end":"stage failed","number":0,"since":1760000021200,"stage":"base","step":"failed","why":"E: no such package"},"text":"stage-0 base: E: no such package","tries":1}]
    state: "waiting"
    waits: ["web:rollout"]

201.000 s, 6 held (6 decided, last at 171.200 s), 6 lists, 0 other calls, 901 probes
=== it does not fail any more, and an operator resumes
  ~ /default/Job/ID/00000000000000000020/status
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":0,"skipped":0,"staging":1,"waiting":7,"wanted":8}
    problems: []
    progress: {"marks":"r.......","request":"b274221be44196e3","resumed":"bd6eea8930c6e3ef","seen":200001}
    state: "running"
    waits: []
    cut: (none)
    failedNodes: (none)

  - /default/Hold/ID/rollout/web/status
  ~ /default/Cluster/ID/status
    holds: 0
  ~ /default/Job/ID/00000000000000000018/status
    groups: [{"chain":"a413d8c536c2eaba","creating":0,"failed":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"outdated":8,"ready":7,"staging":8,"updated":0,"wanted":8}]
    machines: {"creating":0,"failed":1,"leaving":0,"old":0,"outdated":8,"ready":7,"staging":8,"updated":0,"wanted":8}
    problems: []
    state: "running"
    waits: []
    failedNodes: (none)

201.200 s, 1 quiet, 1 held (2 decided, last at 201.000 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    chainDone: "a413d8c536c2eaba"
    job: "1416139dc43c0e9a"
    since: 1760000201200
    step: "bootstrapped"
    chainFailed: (none)
    end: (none)
    why: (none)
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    failed: (none)
  ~ /default/Job/ID/00000000000000000020/status
    batch: {"canary":false,"count":4,"number":2,"size":3}
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":1,"skipped":0,"staging":3,"waiting":4,"wanted":8}
    progress: {"marks":"drrr....","request":"b274221be44196e3","resumed":"bd6eea8930c6e3ef","seen":200201}

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    outdated: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":7,"ready":8,"unhealthy":0,"unreachable":0,"wanted":8}
  ~ /default/Job/ID/00000000000000000018/status
    groups: [{"chain":"a413d8c536c2eaba","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"outdated":7,"ready":8,"staging":7,"updated":1,"wanted":8}]
    machines: {"creating":0,"leaving":0,"old":0,"outdated":7,"ready":8,"staging":7,"updated":1,"wanted":8}

  + /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status
    facts: {"name":"web-3"}
    factsGiven: "67c994b00857fd00375dae90ed20f0d8"
    keys: {"host":"fbae27432718000000047fa3cb7da0a8","root":"r"}
    served: 1
    since: 1760000003300
    step: "bootstrapped"
    trustGiven: "c0000000000000001.0000000000000001.0.2"
  + /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    facts: {"name":"web-2"}
    factsGiven: "67c994b00857fd00375dae90ed20f0d8"
    keys: {"host":"fbae27432718000000034981fbfa71b6","root":"r"}
    served: 1
    since: 1760000003300
    step: "bootstrapped"
    trustGiven: "c0000000000000001.0000000000000001.0.2"
  + /default/Node/ID/fbae2743271800000002de820479c4a8/status
    facts: {"name":"web-1"}
    factsGiven: "67c994b00857fd00375dae90ed20f0d8"
    keys: {"host":"fbae2743271800000002de820479c4a8","root":"r"}
    served: 1
    since: 1760000003300
    step: "bootstrapped"
    trustGiven: "c0000000000000001.0000000000000001.0.2"

201.400 s, 1 quiet (1 decided, last at 201.200 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status
    chainDone: "a413d8c536c2eaba"
    job: "1416139dc43c0e9a"
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    chainDone: "a413d8c536c2eaba"
    job: "1416139dc43c0e9a"
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    chainDone: "a413d8c536c2eaba"
    job: "1416139dc43c0e9a"
  ~ /default/Job/ID/00000000000000000020/status
    batch: {"canary":false,"count":4,"number":3,"size":3}
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":4,"skipped":0,"staging":3,"waiting":1,"wanted":8}
    progress: {"marks":"ddddrrr.","request":"b274221be44196e3","resumed":"bd6eea8930c6e3ef","seen":200401}

  + /default/Node/ID/fbae2743271800000007ff39ce7d3478/status
    facts: {"name":"web-6"}
    factsGiven: "67c994b00857fd00375dae90ed20f0d8"
    keys: {"host":"fbae2743271800000007ff39ce7d3478","root":"r"}
    served: 1
    since: 1760000003300
    step: "bootstrapped"
    trustGiven: "c0000000000000001.0000000000000001.0.2"
  + /default/Node/ID/fbae2743271800000006d526b3fb02f2/status
    facts: {"name":"web-5"}
    factsGiven: "67c994b00857fd00375dae90ed20f0d8"
    keys: {"host":"fbae2743271800000006d526b3fb02f2","root":"r"}
    served: 1
    since: 1760000003300
    step: "bootstrapped"
    trustGiven: "c0000000000000001.0000000000000001.0.2"
  + /default/Node/ID/fbae27432718000000052c80c771e46a/status
    facts: {"name":"web-4"}
    factsGiven: "67c994b00857fd00375dae90ed20f0d8"
    keys: {"host":"fbae27432718000000052c80c771e46a","root":"r"}
    served: 1
    since: 1760000003300
    step: "bootstrapped"
    trustGiven: "c0000000000000001.0000000000000001.0.2"

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    outdated: (none)
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    outdated: (none)
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    outdated: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":4,"ready":8,"unhealthy":0,"unreachable":0,"wanted":8}
  ~ /default/Job/ID/00000000000000000018/status
    groups: [{"chain":"a413d8c536c2eaba","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"outdated":4,"ready":8,"staging":4,"updated":4,"wanted":8}]
    machines: {"creating":0,"leaving":0,"old":0,"outdated":4,"ready":8,"staging":4,"updated":4,"wanted":8}

201.600 s, 1 quiet (1 decided, last at 201.400 s), 1 lists, 0 other calls, 1 probes
  ~ /default/Node/ID/fbae2743271800000007ff39ce7d3478/status
    chainDone: "a413d8c536c2eaba"
    job: "1416139dc43c0e9a"
  ~ /default/Node/ID/fbae2743271800000006d526b3fb02f2/status
    chainDone: "a413d8c536c2eaba"
    job: "1416139dc43c0e9a"
  ~ /default/Node/ID/fbae27432718000000052c80c771e46a/status
    chainDone: "a413d8c536c2eaba"
    job: "1416139dc43c0e9a"
  ~ /default/Job/ID/00000000000000000020/status
    batch: {"canary":false,"count":4,"number":4,"size":1}
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":7,"skipped":0,"staging":1,"waiting":0,"wanted":8}
    progress: {"marks":"dddddddr","request":"b274221be44196e3","resumed":"bd6eea8930c6e3ef","seen":200601}

  + /default/Node/ID/fbae2743271800000008bd5b8c474eec/status
    facts: {"name":"web-7"}
    factsGiven: "67c994b00857fd00375dae90ed20f0d8"
    keys: {"host":"fbae2743271800000008bd5b8c474eec","root":"r"}
    served: 1
    since: 1760000003300
    step: "bootstrapped"
    trustGiven: "c0000000000000001.0000000000000001.0.2"

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    outdated: (none)
  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    outdated: (none)
  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    outdated: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":1,"ready":8,"unhealthy":0,"unreachable":0,"wanted":8}
  ~ /default/Job/ID/00000000000000000018/status
    groups: [{"chain":"a413d8c536c2eaba","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"outdated":1,"ready":8,"staging":1,"updated":7,"wanted":8}]
    machines: {"creating":0,"leaving":0,"old":0,"outdated":1,"ready":8,"staging":1,"updated":7,"wanted":8}

201.800 s, 1 quiet (1 decided, last at 201.600 s), 1 lists, 0 other calls, 2 probes
  ~ /default/Node/ID/fbae2743271800000008bd5b8c474eec/status
    chainDone: "a413d8c536c2eaba"
    job: "1416139dc43c0e9a"
  ~ /default/Job/ID/00000000000000000020/status
    ended: 1760000201800
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":8,"skipped":0,"staging":0,"waiting":0,"wanted":8}
    progress: {"marks":"dddddddd","request":"b274221be44196e3","resumed":"bd6eea8930c6e3ef","seen":200801}
    state: "done"

  - /default/Batches/ID/b274221be44196e3/base

  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    outdated: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":8,"unhealthy":0,"unreachable":0,"wanted":8}
  ~ /default/Job/ID/00000000000000000018/status
    ended: 1760000201800
    groups: [{"chain":"a413d8c536c2eaba","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":8,"updated":8,"wanted":8}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":8,"updated":8,"wanted":8}
    state: "done"

=== the end
381.000 s, 6 quiet (2 decided, last at 351.800 s), 6 lists, 0 other calls, 894 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-3 web/2 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-4 web/3 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-5 web/4 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-6 web/5 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-7 web/6 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-8 web/7 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
last probe: web-0 at sim-1 port 22 by SSH, 0 words, within 1000 ms
=== events
cluster.created: actor "ana" groups ["web"] sums {"change":0,"create":8,"destroy":0,"groups":1,"nodes":8,"reboot":0,"replace":0}
machine.wanted: fact "size is 8, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 8, 0 recorded" group "web" node "web-1" pass 1 rule "free_slot" slot 1
machine.wanted: fact "size is 8, 0 recorded" group "web" node "web-2" pass 1 rule "free_slot" slot 2
machine.wanted: fact "size is 8, 0 recorded" group "web" node "web-3" pass 1 rule "free_slot" slot 3
machine.wanted: fact "size is 8, 0 recorded" group "web" node "web-4" pass 1 rule "free_slot" slot 4
machine.wanted: fact "size is 8, 0 recorded" group "web" node "web-5" pass 1 rule "free_slot" slot 5
machine.wanted: fact "size is 8, 0 recorded" group "web" node "web-6" pass 1 rule "free_slot" slot 6
machine.wanted: fact "size is 8, 0 recorded" group "web" node "web-7" pass 1 rule "free_slot" slot 7
job.began: fact "job/1"
machine.created: group "web" id "sim-8" node "web-7" pass 1 rule "free_slot" slot 7
machine.created: group "web" id "sim-7" node "web-6" pass 1 rule "free_slot" slot 6
machine.created: group "web" id "sim-6" node "web-5" pass 1 rule "free_slot" slot 5
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
machine.running: fact "sim-6 runs" group "web" id "sim-6" node "web-5" pass 2 rule "activate" slot 5
machine.running: fact "sim-7 runs" group "web" id "sim-7" node "web-6" pass 2 rule "activate" slot 6
machine.running: fact "sim-8 runs" group "web" id "sim-8" node "web-7" pass 2 rule "activate" slot 7
node.keyed: group "web" id "sim-8" node "web-7" slot 7
node.keyed: group "web" id "sim-7" node "web-6" slot 6
node.keyed: group "web" id "sim-6" node "web-5" slot 5
node.keyed: group "web" id "sim-5" node "web-4" slot 4
node.keyed: group "web" id "sim-4" node "web-3" slot 3
node.keyed: group "web" id "sim-3" node "web-2" slot 2
node.keyed: group "web" id "sim-2" node "web-1" slot 1
node.keyed: group "web" id "sim-1" node "web-0" slot 0
node.bootstrapped: group "web" id "sim-8" node "web-7" slot 7
node.bootstrapped: group "web" id "sim-7" node "web-6" slot 6
node.bootstrapped: group "web" id "sim-6" node "web-5" slot 5
node.bootstrapped: group "web" id "sim-5" node "web-4" slot 4
node.bootstrapped: group "web" id "sim-4" node "web-3" slot 3
node.bootstrapped: group "web" id "sim-3" node "web-2" slot 2
node.bootstrapped: group "web" id "sim-2" node "web-1" slot 1
node.bootstrapped: group "web" id "sim-1" node "web-0" slot 0
machine.ready: group "web" id "sim-1" node "web-0" pass 2 rule "bootstrap" slot 0
machine.ready: fact "open" group "web" id "sim-7" node "web-6" pass 2 rule "probe" slot 6
machine.ready: fact "open" group "web" id "sim-8" node "web-7" pass 2 rule "probe" slot 7
machine.ready: fact "open" group "web" id "sim-3" node "web-2" pass 2 rule "probe" slot 2
machine.ready: fact "open" group "web" id "sim-5" node "web-4" pass 2 rule "probe" slot 4
machine.ready: fact "open" group "web" id "sim-6" node "web-5" pass 2 rule "probe" slot 5
machine.ready: fact "open" group "web" id "sim-2" node "web-1" pass 2 rule "probe" slot 1
machine.ready: fact "open" group "web" id "sim-4" node "web-3" pass 2 rule "probe" slot 3
job.done: fact "job/1"
cluster.changed: actor "ana" groups ["web"] sums {"change":8,"create":0,"destroy":0,"groups":1,"nodes":8,"reboot":0,"replace":0}
job.began: fact "job/18"
job.began: fact "job/20"
job.batch: fact "job/20: batch 1 of 4, web-0"
node.failed: fact "stage-0 base: stage failed: E: no such package" group "web" id "sim-1" node "web-0" slot 0
job.stopped: fact "job/20: no more machines are started: a canary has failed"
hold.began: fact "web-0 stage-0 base failed with exit code 3: E: no such package; 7 of 8 have not started" group "web" pass 3 rule "rollout"
job.stopped: fact "job/20: no more machines are started: "
hold.ended: group "web" pass 4 rule "rollout"
node.bootstrapped: group "web" id "sim-1" node "web-0" slot 0
job.batch: fact "job/20: batch 2 of 4, web-[1-3]"
node.bootstrapped: group "web" id "sim-4" node "web-3" slot 3
node.bootstrapped: group "web" id "sim-3" node "web-2" slot 2
node.bootstrapped: group "web" id "sim-2" node "web-1" slot 1
job.batch: fact "job/20: batch 3 of 4, web-[4-6]"
node.bootstrapped: group "web" id "sim-7" node "web-6" slot 6
node.bootstrapped: group "web" id "sim-6" node "web-5" slot 5
node.bootstrapped: group "web" id "sim-5" node "web-4" slot 4
job.batch: fact "job/20: batch 4 of 4, web-7"
node.bootstrapped: group "web" id "sim-8" node "web-7" slot 7
job.done: fact "job/20: stages have succeeded on 8 of 8"
job.done: fact "job/18"
