1.000 s (0 decided, last at 0.000 s), 0 lists, 0 other calls, 0 probes
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
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    keys: {"host":"fbae27432718000000034981fbfa71b6","root":"r"}
    since: 1760000003100
    step: "keyed"
    trustGiven: "c0000000000000001.0000000000000001.0.2"
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
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    facts: {"name":"web-2"}
    factsGiven: "994a157ffefbb1ec70662cc606d0424d"
    since: 1760000003200
    step: "facts"
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    facts: {"name":"web-1"}
    factsGiven: "994a157ffefbb1ec70662cc606d0424d"
    since: 1760000003200
    step: "facts"
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    facts: {"name":"web-0"}
    factsGiven: "994a157ffefbb1ec70662cc606d0424d"
    since: 1760000003200
    step: "facts"

3.300 s, 1 quiet (1 decided, last at 3.216 s), 1 lists, 0 other calls, 1 probes
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    chainDone: "a409d8c536ba9635"
    since: 1760000003300
    step: "bootstrapped"
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    attempt: 1
    chainFailed: "a409d8c536ba9635"
    code: 3
    end: "stage failed"
    retry: "0000000000000001"
    since: 1760000003300
    stage: "base"
    startFailure: "base: stage failed: E: no such package"
    step: "failed"
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    failed: 2301
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    chainDone: "a409d8c536ba9635"
    since: 1760000003300
    step: "bootstrapped"
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    starting: (none)

  + /default/Hold/ID/kept/web/status
    cluster: "shop"
    fact: "1 machine"
    group: "web"
    pass: 3
    rule: "kept"
    since: 1760000003300
    wouldCreate: 1
    wouldDestroy: 1
  ~ /default/Cluster/ID/status
    holds: 1
    machines: {"creating":1,"failed":1,"leaving":0,"outdated":0,"ready":1,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000001/status
    failedNodes: "web-1"
    groups: [{"chain":"a409d8c536ba9635","creating":1,"failed":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":1,"updated":1,"wanted":3}]
    machines: {"creating":1,"failed":1,"leaving":0,"old":0,"ready":1,"updated":1,"wanted":3}
    problems: [{"name":"web-1","node":{"attempt":1,"code":3,"end":"stage failed","number":0,"since":1760000003300,"stage":"base","step":"failed","why":"E: no such package"},"text":"stage-0 base: E: no such package","tries":1}]
    waits: ["web:kept"]

3.708 s, 1 held (1 decided, last at 3.300 s), 1 lists, 0 other calls, 2 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    cause: "open"
    starting: (none)

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":1,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"chain":"a409d8c536ba9635","creating":0,"failed":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":3}]
    machines: {"creating":0,"failed":1,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":3}
    state: "waiting"

123.300 s, 5 held (5 decided, last at 93.708 s), 6 lists, 0 other calls, 223 probes
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    condemned: 122301
    failures: 1
    losses: 1
    pass: 4
    reason: "unfinished"
    state: "delete"
    answered: (none)
  - /default/Hold/ID/kept/web/status
  ~ /default/Cluster/ID/status
    holds: 0
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"chain":"a409d8c536ba9635","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":1,"old":0,"ready":2,"updated":2,"wanted":3}]
    machines: {"creating":0,"leaving":1,"old":0,"ready":2,"updated":2,"wanted":3}
    problems: []
    state: "running"
    waits: []
    failedNodes: (none)

  + /default/Revoked/ID/fbae2743271800000002de820479c4a8/base
    at: 1760000123300
    id: "web-1.fbae2743271800000002"
    until: 1762592123300

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[4,1,122301]}
  + /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    created: 122301
    failures: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    losses: 1
    made: 1760000123300
    pass: 5
    reason: "free_slot"
    slot: 1
    state: "create"
  - /default/Resource/ID/fbae2743271800000002de820479c4a8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"chain":"a409d8c536ba9635","creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":3}]
    machines: {"creating":1,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":3}

  - /default/Node/ID/fbae2743271800000002de820479c4a8/status

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true
    id: "sim-4"

125.300 s, 2 done, 4 quiet (6 decided, last at 124.800 s), 6 lists, 2 other calls, 2 probes
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    active: 124301
    address: "sim-4"
    pass: 6
    starting: true
    state: "active"

  + /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status

125.400 s, 1 done (1 decided, last at 125.300 s), 0 lists, 0 other calls, 1 probes
  ~ /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status
    keys: {"host":"fbae27432718000000047fa3cb7da0a8","root":"r"}
    since: 1760000125400
    step: "keyed"
    trustGiven: "c0000000000000001.0000000000000001.0.2"

125.500 s (0 decided, last at 125.300 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status
    facts: {"name":"web-1"}
    factsGiven: "994a157ffefbb1ec70662cc606d0424d"
    since: 1760000125500
    step: "facts"

125.600 s (0 decided, last at 125.300 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status
    attempt: 1
    chainFailed: "a409d8c536ba9635"
    code: 3
    end: "stage failed"
    retry: "0000000000000001"
    since: 1760000125600
    stage: "base"
    startFailure: "base: stage failed: E: no such package"
    step: "failed"
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    failed: 124601

  + /default/Hold/ID/kept/web/status
    cluster: "shop"
    fact: "1 machine"
    group: "web"
    pass: 7
    rule: "kept"
    since: 1760000125600
    wouldCreate: 1
    wouldDestroy: 1
  ~ /default/Cluster/ID/status
    holds: 1
    machines: {"creating":0,"failed":1,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000001/status
    failedNodes: "web-1"
    groups: [{"chain":"a409d8c536ba9635","creating":0,"failed":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":3}]
    machines: {"creating":0,"failed":1,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":3}
    problems: [{"name":"web-1","node":{"attempt":1,"code":3,"end":"stage failed","number":0,"since":1760000125600,"stage":"base","step":"failed","why":"E: no such package"},"text":"stage-0 base: E: no such package","tries":1}]
    state: "waiting"
    waits: ["web:kept"]

245.600 s, 5 held (5 decided, last at 216.119 s), 6 lists, 0 other calls, 225 probes
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    condemned: 244601
    failures: 2
    losses: 2
    pass: 8
    reason: "unfinished"
    state: "delete"
    answered: (none)
  - /default/Hold/ID/kept/web/status
  ~ /default/Cluster/ID/status
    holds: 0
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"chain":"a409d8c536ba9635","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":1,"old":0,"ready":2,"updated":2,"wanted":3}]
    machines: {"creating":0,"leaving":1,"old":0,"ready":2,"updated":2,"wanted":3}
    problems: []
    state: "running"
    waits: []
    failedNodes: (none)

  + /default/Revoked/ID/fbae27432718000000047fa3cb7da0a8/base
    at: 1760000245600
    id: "web-1.fbae2743271800000004"
    until: 1762592245600

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[5,1,244601]}
  + /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    created: 244601
    failures: 2
    generation: "58c2d4f2b51c301b"
    group: "web"
    losses: 2
    made: 1760000245600
    pass: 9
    reason: "free_slot"
    slot: 1
    state: "create"
  - /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"chain":"a409d8c536ba9635","creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":3}]
    machines: {"creating":1,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":3}

  - /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true
    id: "sim-5"

247.600 s, 2 done, 4 quiet (6 decided, last at 247.100 s), 6 lists, 2 other calls, 2 probes
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    active: 246601
    address: "sim-5"
    pass: 10
    starting: true
    state: "active"

  + /default/Node/ID/fbae27432718000000052c80c771e46a/status

247.700 s, 1 done (1 decided, last at 247.600 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000052c80c771e46a/status
    keys: {"host":"fbae27432718000000052c80c771e46a","root":"r"}
    since: 1760000247700
    step: "keyed"
    trustGiven: "c0000000000000001.0000000000000001.0.2"

247.800 s (0 decided, last at 247.600 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000052c80c771e46a/status
    facts: {"name":"web-1"}
    factsGiven: "994a157ffefbb1ec70662cc606d0424d"
    since: 1760000247800
    step: "facts"

247.900 s (0 decided, last at 247.600 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000052c80c771e46a/status
    attempt: 1
    chainFailed: "a409d8c536ba9635"
    code: 3
    end: "stage failed"
    retry: "0000000000000001"
    since: 1760000247900
    stage: "base"
    startFailure: "base: stage failed: E: no such package"
    step: "failed"
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    failed: 246901

  + /default/Hold/ID/kept/web/status
    cluster: "shop"
    fact: "1 machine"
    group: "web"
    pass: 11
    rule: "kept"
    since: 1760000247900
    wouldCreate: 1
    wouldDestroy: 1
  ~ /default/Cluster/ID/status
    holds: 1
    machines: {"creating":0,"failed":1,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000001/status
    failedNodes: "web-1"
    groups: [{"chain":"a409d8c536ba9635","creating":0,"failed":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":3}]
    machines: {"creating":0,"failed":1,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":3}
    problems: [{"name":"web-1","node":{"attempt":1,"code":3,"end":"stage failed","number":0,"since":1760000247900,"stage":"base","step":"failed","why":"E: no such package"},"text":"stage-0 base: E: no such package","tries":1}]
    state: "waiting"
    waits: ["web:kept"]

361.000 s, 5 held (5 decided, last at 338.208 s), 5 lists, 0 other calls, 213 probes
=== it does not fail any more
367.900 s (0 decided, last at 338.208 s), 1 lists, 0 other calls, 13 probes
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    condemned: 366901
    failures: 3
    losses: 3
    pass: 12
    reason: "unfinished"
    state: "delete"
    answered: (none)
  - /default/Hold/ID/kept/web/status
  ~ /default/Cluster/ID/status
    holds: 0
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"chain":"a409d8c536ba9635","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":1,"old":0,"ready":2,"updated":2,"wanted":3}]
    machines: {"creating":0,"leaving":1,"old":0,"ready":2,"updated":2,"wanted":3}
    problems: []
    state: "running"
    waits: []
    failedNodes: (none)

  + /default/Revoked/ID/fbae27432718000000052c80c771e46a/base
    at: 1760000367900
    id: "web-1.fbae2743271800000005"
    until: 1762592367900

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true

  + /default/Hold/ID/backoff_exhausted/web/status
    cluster: "shop"
    fact: "1 slot: in each, 3 machines or more have failed"
    group: "web"
    pass: 13
    rule: "backoff_exhausted"
    since: 1760000367900
    wouldCreate: 1
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1
  ~ /default/Job/ID/00000000000000000001/status
    waits: ["web:backoff_exhausted"]

373.000 s, 1 done, 1 held (2 decided, last at 367.900 s), 1 lists, 1 other calls, 6 probes
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    factsGiven: "eb1e92a97fe2cf9062efa6909f3e88d2"
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    factsGiven: "eb1e92a97fe2cf9062efa6909f3e88d2"

=== the end
721.000 s, 11 held (11 decided, last at 697.900 s), 11 lists, 0 other calls, 435 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 123300 stopped 0 reboots 0 at 0 'unfinished'
sim-3 web/2 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-4 web/1 {"resourcePlugin":"sim"} zone '' labels  made 123300 ended 245600 stopped 0 reboots 0 at 0 'unfinished'
sim-5 web/1 {"resourcePlugin":"sim"} zone '' labels  made 245600 ended 367900 stopped 0 reboots 0 at 0 'unfinished'
last probe: web-2 at sim-3 port 22 by SSH, 0 words, within 1000 ms
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
node.failed: fact "stage-0 base: stage failed: E: no such package" group "web" id "sim-2" node "web-1" slot 1
node.bootstrapped: group "web" id "sim-1" node "web-0" slot 0
machine.ready: group "web" id "sim-1" node "web-0" pass 2 rule "bootstrap" slot 0
hold.began: fact "1 machine" group "web" pass 3 rule "kept"
machine.ready: fact "open" group "web" id "sim-3" node "web-2" pass 2 rule "probe" slot 2
machine.condemned: fact "for 120 s" group "web" id "sim-2" node "web-1" pass 4 rule "unfinished" slot 1
hold.ended: group "web" pass 4 rule "kept"
node.revoked: fact "the machine is being destroyed" group "web" id "sim-2" node "web-1" slot 1
machine.destroyed: group "web" id "sim-2" node "web-1" pass 4 rule "unfinished" slot 1
machine.wanted: fact "size is 3, 2 recorded" group "web" node "web-1" pass 5 rule "free_slot" slot 1
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-2" node "web-1" pass 5 rule "forget" slot 1
machine.created: group "web" id "sim-4" node "web-1" pass 5 rule "free_slot" slot 1
machine.running: fact "sim-4 runs" group "web" id "sim-4" node "web-1" pass 6 rule "activate" slot 1
node.keyed: group "web" id "sim-4" node "web-1" slot 1
node.failed: fact "stage-0 base: stage failed: E: no such package" group "web" id "sim-4" node "web-1" slot 1
hold.began: fact "1 machine" group "web" pass 7 rule "kept"
machine.condemned: fact "for 120 s" group "web" id "sim-4" node "web-1" pass 8 rule "unfinished" slot 1
hold.ended: group "web" pass 8 rule "kept"
node.revoked: fact "the machine is being destroyed" group "web" id "sim-4" node "web-1" slot 1
machine.destroyed: group "web" id "sim-4" node "web-1" pass 8 rule "unfinished" slot 1
machine.wanted: fact "size is 3, 2 recorded" group "web" node "web-1" pass 9 rule "free_slot" slot 1
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-4" node "web-1" pass 9 rule "forget" slot 1
machine.created: group "web" id "sim-5" node "web-1" pass 9 rule "free_slot" slot 1
machine.running: fact "sim-5 runs" group "web" id "sim-5" node "web-1" pass 10 rule "activate" slot 1
node.keyed: group "web" id "sim-5" node "web-1" slot 1
node.failed: fact "stage-0 base: stage failed: E: no such package" group "web" id "sim-5" node "web-1" slot 1
hold.began: fact "1 machine" group "web" pass 11 rule "kept"
machine.condemned: fact "for 120 s" group "web" id "sim-5" node "web-1" pass 12 rule "unfinished" slot 1
hold.ended: group "web" pass 12 rule "kept"
node.revoked: fact "the machine is being destroyed" group "web" id "sim-5" node "web-1" slot 1
machine.destroyed: group "web" id "sim-5" node "web-1" pass 12 rule "unfinished" slot 1
hold.began: fact "1 slot: in each, 3 machines or more have failed" group "web" pass 13 rule "backoff_exhausted"
