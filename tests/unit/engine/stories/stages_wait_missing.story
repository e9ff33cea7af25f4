21.000 s (0 decided, last at 3.819 s), 0 lists, 0 other calls, 0 probes
=== web-3 is gone, and its provider has no room
33.819 s, 1 done (1 decided, last at 33.819 s), 1 lists, 1 other calls, 32 probes
  + /default/Control/ID/web/status
    lookups: {"fbae27432718000000047fa3cb7da0a8":[1,32820,32820,"stopped"]}

38.819 s, 1 done, 1 quiet (2 decided, last at 38.819 s), 2 lists, 1 other calls, 14 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000047fa3cb7da0a8":[2,32820,37820,"stopped"]}

  + /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    active: 2001
    address: "sim-4"
    cause: "open"
    condemned: 37820
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    id: "sim-4"
    losses: 1
    made: 1760000001000
    pass: 3
    reason: "stopped"
    slot: 3
    state: "delete"
  + /default/Cluster/ID/status
    holds: 0
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":4}
    observed: 1

  + /default/Revoked/ID/fbae27432718000000047fa3cb7da0a8/base
    at: 1760000038819
    id: "web-3.fbae2743271800000004"
    until: 1762592038819

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true

  + /default/Control/ID/status
    series: {"fbae27432718":[5,1,37820]}
  + /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    created: 37820
    generation: "58c2d4f2b51c301b"
    group: "web"
    losses: 1
    made: 1760000038819
    pass: 4
    reason: "free_slot"
    slot: 3
    state: "create"
  - /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":4}

  - /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true
    callAfter: 52694
    cause: "capacity"
    fault: "capacity"
    tries: 1

43.900 s, 2 done, 1 quiet (3 decided, last at 38.819 s), 3 lists, 2 other calls, 9 probes
  + /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    chainDone: "a409d8c536ba9635"
    facts: {"name":"web-2"}
    factsGiven: "994a157ffefbb1ec70662cc606d0424d"
    keys: {"host":"fbae27432718000000034981fbfa71b6","root":"r"}
    since: 1760000003300
    step: "bootstrapped"
    trustGiven: "c0000000000000001.0000000000000001.0.2"
  + /default/Node/ID/fbae2743271800000002de820479c4a8/status
    chainDone: "a409d8c536ba9635"
    facts: {"name":"web-1"}
    factsGiven: "994a157ffefbb1ec70662cc606d0424d"
    keys: {"host":"fbae2743271800000002de820479c4a8","root":"r"}
    since: 1760000003300
    step: "bootstrapped"
    trustGiven: "c0000000000000001.0000000000000001.0.2"
  + /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    chainDone: "a409d8c536ba9635"
    facts: {"name":"web-0"}
    factsGiven: "994a157ffefbb1ec70662cc606d0424d"
    keys: {"host":"fbae27432718000000014bd8c442c5f8","root":"r"}
    since: 1760000003300
    step: "bootstrapped"
    trustGiven: "c0000000000000001.0000000000000001.0.2"

68.819 s (0 decided, last at 38.819 s), 1 lists, 0 other calls, 46 probes
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: (none)

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true
    callAfter: 86218
    tries: 2

98.819 s, 1 done, 1 quiet (2 decided, last at 68.819 s), 2 lists, 1 other calls, 56 probes
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: (none)

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true
    callAfter: 141906
    tries: 3

  + /default/Hold/ID/refused/web/status
    cluster: "shop"
    fact: "1 machine: there is no capacity, or no quota"
    group: "web"
    pass: 7
    rule: "refused"
    since: 1760000098819
    wouldCreate: 1
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1

141.000 s, 1 done, 2 held (3 decided, last at 128.819 s), 2 lists, 1 other calls, 79 probes
=== another argument
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
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":3,"ready":3,"unhealthy":0,"unreachable":0,"wanted":4}
    observed: 30
  + /default/Job/ID/00000000000000000030/status
    begun: 1760000141000
    by: "ana"
    cluster: "shop"
    failedNodes: "web-3"
    groups: [{"chain":"a413d8c536c2eaba","creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"outdated":3,"ready":3,"staging":3,"updated":0,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":0,"outdated":3,"ready":3,"staging":3,"updated":0,"wanted":4}
    problems: [{"name":"web-3","text":"refused: no capacity, or no quota (capacity)","tries":3}]
    revision: 30
    state: "running"
    waits: ["web:refused"]

  + /default/Batches/ID/b274221be44196e3/base
    at: 1760000141000
    bake: 10000
    batches: [1,2,3]
    canaries: 1
    chain: "a413d8c536c2eaba"
    group: "web"
    maxFail: 1
    nodes: "fbae27432718000000014bd8c442c5f8,fbae2743271800000002de820479c4a8,fbae27432718000000034981fbfa71b6"

  + /default/Job/ID/00000000000000000032/status
    batch: {"canary":true,"count":3,"number":1,"size":1}
    begun: 1760000141000
    cluster: "shop"
    group: "web"
    groups: []
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":0,"skipped":0,"staging":0,"waiting":3,"wanted":3}
    problems: []
    progress: {"marks":"...","request":"b274221be44196e3","seen":140001}
    revision: 32
    state: "running"
    verb: "rollout"
    waits: []

  ~ /default/Job/ID/00000000000000000032/status
    waits: ["out of service: web-3; at most 1 may be"]

171.000 s, 2 held (2 decided, last at 141.000 s), 3 lists, 0 other calls, 56 probes
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: (none)

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true
    callAfter: 246770
    tries: 4

  ~ /default/Job/ID/00000000000000000030/status
    problems: [{"name":"web-3","text":"refused: no capacity, or no quota (capacity)","tries":4}]

261.000 s, 1 done, 3 held (4 decided, last at 231.000 s), 3 lists, 1 other calls, 169 probes
=== there is room again
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: (none)

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true
    id: "sim-5"
    callAfter: (none)
    cause: (none)
    fault: (none)
    tries: (none)

  - /default/Hold/ID/refused/web/status
  ~ /default/Cluster/ID/status
    holds: 0
  ~ /default/Job/ID/00000000000000000030/status
    problems: []
    waits: []
    failedNodes: (none)

263.000 s, 1 done, 4 quiet (5 decided, last at 262.500 s), 6 lists, 1 other calls, 5 probes
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    active: 262001
    address: "sim-5"
    pass: 11
    starting: true
    state: "active"

  + /default/Node/ID/fbae27432718000000052c80c771e46a/status

263.100 s, 1 done (1 decided, last at 263.000 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000052c80c771e46a/status
    keys: {"host":"fbae27432718000000052c80c771e46a","root":"r"}
    since: 1760000263100
    step: "keyed"
    trustGiven: "c0000000000000001.0000000000000001.0.2"

263.200 s (0 decided, last at 263.000 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000052c80c771e46a/status
    facts: {"name":"web-3"}
    since: 1760000263200
    step: "facts"

263.300 s (0 decided, last at 263.000 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000052c80c771e46a/status
    factsGiven: "aab515358d0425c08b2f65ee57e47e04"
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    factsGiven: "aab515358d0425c08b2f65ee57e47e04"
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    factsGiven: "aab515358d0425c08b2f65ee57e47e04"
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    factsGiven: "aab515358d0425c08b2f65ee57e47e04"

263.400 s (0 decided, last at 263.000 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000052c80c771e46a/status
    chainDone: "a413d8c536c2eaba"
    since: 1760000263400
    step: "bootstrapped"

263.608 s, 1 quiet (1 decided, last at 263.400 s), 1 lists, 0 other calls, 1 probes
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    cause: "open"
    starting: (none)

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":3,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000030/status
    groups: [{"chain":"a413d8c536c2eaba","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"outdated":3,"ready":4,"staging":3,"updated":1,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"outdated":3,"ready":4,"staging":3,"updated":1,"wanted":4}

  ~ /default/Job/ID/00000000000000000032/status
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":0,"skipped":0,"staging":1,"waiting":2,"wanted":3}
    progress: {"marks":"r..","request":"b274221be44196e3","seen":262609}
    waits: []

  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    served: 1
    chainDone: (none)

263.800 s, 1 quiet (1 decided, last at 263.608 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    chainDone: "a413d8c536c2eaba"
    job: "b1020ae071d5b871"
  ~ /default/Job/ID/00000000000000000032/status
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":1,"skipped":0,"staging":0,"waiting":2,"wanted":3}
    progress: {"marks":"d..","request":"b274221be44196e3","rest":262801,"seen":262801}
    state: "resting"
    until: 1760000273800

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    outdated: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":2,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000030/status
    groups: [{"chain":"a413d8c536c2eaba","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"outdated":2,"ready":4,"staging":2,"updated":2,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"outdated":2,"ready":4,"staging":2,"updated":2,"wanted":4}

273.800 s, 1 quiet (1 decided, last at 263.800 s), 1 lists, 0 other calls, 25 probes
  ~ /default/Job/ID/00000000000000000032/status
    batch: {"canary":false,"count":3,"number":2,"size":1}
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":1,"skipped":0,"staging":1,"waiting":1,"wanted":3}
    progress: {"marks":"dr.","request":"b274221be44196e3","seen":272801}
    state: "running"
    until: (none)

  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    served: 1
    chainDone: (none)

274.000 s (0 decided, last at 263.800 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    chainDone: "a413d8c536c2eaba"
    job: "b1020ae071d5b871"
  ~ /default/Job/ID/00000000000000000032/status
    batch: {"canary":false,"count":3,"number":3,"size":1}
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":2,"skipped":0,"staging":1,"waiting":0,"wanted":3}
    progress: {"marks":"ddr","request":"b274221be44196e3","seen":273001}

  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    served: 1
    chainDone: (none)

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    outdated: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":1,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000030/status
    groups: [{"chain":"a413d8c536c2eaba","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"outdated":1,"ready":4,"staging":1,"updated":3,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"outdated":1,"ready":4,"staging":1,"updated":3,"wanted":4}

274.200 s, 1 quiet (1 decided, last at 274.000 s), 1 lists, 0 other calls, 2 probes
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    chainDone: "a413d8c536c2eaba"
    job: "b1020ae071d5b871"
  ~ /default/Job/ID/00000000000000000032/status
    ended: 1760000274200
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":3,"skipped":0,"staging":0,"waiting":0,"wanted":3}
    progress: {"marks":"ddd","request":"b274221be44196e3","seen":273201}
    state: "done"

  - /default/Batches/ID/b274221be44196e3/base

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    outdated: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000030/status
    ended: 1760000274200
    groups: [{"chain":"a413d8c536c2eaba","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}
    state: "done"

=== the end
1161.000 s, 30 quiet (3 decided, last at 1144.200 s), 31 lists, 0 other calls, 2216 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-3 web/2 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-4 web/3 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 38819 stopped 21000 reboots 0 at 0 'stopped'
sim-5 web/3 {"resourcePlugin":"sim"} zone '' labels  made 261000 ended 0 stopped 0 reboots 0 at 0 ''
last probe: web-2 at sim-3 port 22 by SSH, 0 words, within 1000 ms
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
machine.condemned: fact "2 answers agree" group "web" id "sim-4" node "web-3" pass 3 rule "stopped" slot 3
node.revoked: fact "the machine is being destroyed" group "web" id "sim-4" node "web-3" slot 3
machine.destroyed: group "web" id "sim-4" node "web-3" pass 3 rule "stopped" slot 3
machine.wanted: fact "size is 4, 3 recorded" group "web" node "web-3" pass 4 rule "free_slot" slot 3
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-4" node "web-3" pass 4 rule "forget" slot 3
machine.refused: fact "capacity" group "web" node "web-3" pass 4 rule "free_slot" slot 3
machine.refused: fact "capacity" group "web" node "web-3" pass 4 rule "free_slot" slot 3
machine.refused: fact "capacity" group "web" node "web-3" pass 4 rule "free_slot" slot 3
hold.began: fact "1 machine: there is no capacity, or no quota" group "web" pass 7 rule "refused"
cluster.changed: actor "ana" groups ["web"] sums {"change":4,"create":0,"destroy":0,"groups":1,"nodes":4,"reboot":0,"replace":0}
job.began: fact "job/30"
job.began: fact "job/32"
machine.refused: fact "capacity" group "web" node "web-3" pass 4 rule "free_slot" slot 3
machine.created: group "web" id "sim-5" node "web-3" pass 4 rule "free_slot" slot 3
hold.ended: group "web" pass 10 rule "refused"
machine.running: fact "sim-5 runs" group "web" id "sim-5" node "web-3" pass 11 rule "activate" slot 3
node.keyed: group "web" id "sim-5" node "web-3" slot 3
node.bootstrapped: group "web" id "sim-5" node "web-3" slot 3
machine.ready: fact "open" group "web" id "sim-5" node "web-3" pass 11 rule "probe" slot 3
job.batch: fact "job/32: batch 1 of 3, web-0"
node.bootstrapped: group "web" id "sim-1" node "web-0" slot 0
job.batch: fact "job/32: batch 2 of 3, web-1"
node.bootstrapped: group "web" id "sim-2" node "web-1" slot 1
job.batch: fact "job/32: batch 3 of 3, web-2"
node.bootstrapped: group "web" id "sim-3" node "web-2" slot 2
job.done: fact "job/32: stages have succeeded on 3 of 3"
job.done: fact "job/30"
