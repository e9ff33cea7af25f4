31.000 s (0 decided, last at 3.729 s), 0 lists, 0 other calls, 0 probes
=== two at a time
=== the change: taken
  + /default/Batches/ID/602e757f3ce7eeab/base
    at: 1760000031000
    batches: [2,4,5]
    by: "ana"
    from: {"web":0}
    maxFail: 2
    nodes: "fbae27432718000000014bd8c442c5f8,fbae2743271800000002de820479c4a8,fbae27432718000000034981fbfa71b6,fbae27432718000000047fa3cb7da0a8,fbae27432718000000052c80c771e46a"

  + /default/Job/ID/00000000000000000016/status
    batch: {"canary":false,"count":3,"number":1,"size":2}
    begun: 1760000031000
    by: "ana"
    cluster: "shop"
    groups: []
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":0,"skipped":0,"staging":0,"waiting":5,"wanted":5}
    problems: []
    progress: {"marks":".....","request":"602e757f3ce7eeab","seen":30001}
    revision: 16
    state: "running"
    verb: "bootstrap"
    waits: []

  ~ /default/Job/ID/00000000000000000016/status
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":0,"skipped":0,"staging":2,"waiting":3,"wanted":5}
    progress: {"marks":"rr...","request":"602e757f3ce7eeab","seen":30001}

  + /default/Node/ID/fbae2743271800000002de820479c4a8/status
    chainDone: "a409d8c536ba9635"
    facts: {"name":"web-1"}
    factsGiven: "307fff75b4a6428c3c3d6983342ac597"
    keys: {"host":"fbae2743271800000002de820479c4a8","root":"r"}
    since: 1760000003300
    step: "bootstrapped"
    trustGiven: "c0000000000000001.0000000000000001.0.2"
  + /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    chainDone: "a409d8c536ba9635"
    facts: {"name":"web-0"}
    factsGiven: "307fff75b4a6428c3c3d6983342ac597"
    keys: {"host":"fbae27432718000000014bd8c442c5f8","root":"r"}
    since: 1760000003300
    step: "bootstrapped"
    trustGiven: "c0000000000000001.0000000000000001.0.2"

31.200 s, 1 quiet (1 decided, last at 31.000 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    job: "602e757f3ce7eeab"
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    job: "602e757f3ce7eeab"
  ~ /default/Job/ID/00000000000000000016/status
    batch: {"canary":false,"count":3,"number":2,"size":2}
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":2,"skipped":0,"staging":2,"waiting":1,"wanted":5}
    progress: {"marks":"ddrr.","request":"602e757f3ce7eeab","seen":30201}

  + /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status
    chainDone: "a409d8c536ba9635"
    facts: {"name":"web-3"}
    factsGiven: "307fff75b4a6428c3c3d6983342ac597"
    keys: {"host":"fbae27432718000000047fa3cb7da0a8","root":"r"}
    since: 1760000003300
    step: "bootstrapped"
    trustGiven: "c0000000000000001.0000000000000001.0.2"
  + /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    chainDone: "a409d8c536ba9635"
    facts: {"name":"web-2"}
    factsGiven: "307fff75b4a6428c3c3d6983342ac597"
    keys: {"host":"fbae27432718000000034981fbfa71b6","root":"r"}
    since: 1760000003300
    step: "bootstrapped"
    trustGiven: "c0000000000000001.0000000000000001.0.2"

31.400 s, 1 quiet (0 decided, last at 31.200 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status
    job: "602e757f3ce7eeab"
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    job: "602e757f3ce7eeab"
  ~ /default/Job/ID/00000000000000000016/status
    batch: {"canary":false,"count":3,"number":3,"size":1}
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":4,"skipped":0,"staging":1,"waiting":0,"wanted":5}
    progress: {"marks":"ddddr","request":"602e757f3ce7eeab","seen":30401}

  + /default/Node/ID/fbae27432718000000052c80c771e46a/status
    chainDone: "a409d8c536ba9635"
    facts: {"name":"web-4"}
    factsGiven: "307fff75b4a6428c3c3d6983342ac597"
    keys: {"host":"fbae27432718000000052c80c771e46a","root":"r"}
    since: 1760000003300
    step: "bootstrapped"
    trustGiven: "c0000000000000001.0000000000000001.0.2"

31.600 s, 1 quiet (0 decided, last at 31.400 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000052c80c771e46a/status
    job: "602e757f3ce7eeab"
  ~ /default/Job/ID/00000000000000000016/status
    ended: 1760000031600
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":5,"skipped":0,"staging":0,"waiting":0,"wanted":5}
    progress: {"marks":"ddddd","request":"602e757f3ce7eeab","seen":30601}
    state: "done"

  - /default/Batches/ID/602e757f3ce7eeab/base

91.000 s, 2 quiet (1 decided, last at 61.600 s), 2 lists, 0 other calls, 185 probes
=== web-3 fails
=== the change: taken
  + /default/Batches/ID/b21161750535ff05/base
    at: 1760000091000
    batches: [2,4,5]
    by: "ana"
    from: {"web":0}
    maxFail: 2
    nodes: "fbae27432718000000014bd8c442c5f8,fbae2743271800000002de820479c4a8,fbae27432718000000034981fbfa71b6,fbae27432718000000047fa3cb7da0a8,fbae27432718000000052c80c771e46a"

  + /default/Job/ID/00000000000000000026/status
    batch: {"canary":false,"count":3,"number":1,"size":2}
    begun: 1760000091000
    by: "ana"
    cluster: "shop"
    groups: []
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":0,"skipped":0,"staging":0,"waiting":5,"wanted":5}
    problems: []
    progress: {"marks":".....","request":"b21161750535ff05","seen":90001}
    revision: 26
    state: "running"
    verb: "bootstrap"
    waits: []

  ~ /default/Job/ID/00000000000000000026/status
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":0,"skipped":0,"staging":2,"waiting":3,"wanted":5}
    progress: {"marks":"rr...","request":"b21161750535ff05","seen":90001}

  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status

91.200 s, 1 quiet (1 decided, last at 91.000 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    job: "b21161750535ff05"
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    job: "b21161750535ff05"
  ~ /default/Job/ID/00000000000000000026/status
    batch: {"canary":false,"count":3,"number":2,"size":2}
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":2,"skipped":0,"staging":2,"waiting":1,"wanted":5}
    progress: {"marks":"ddrr.","request":"b21161750535ff05","seen":90201}

  ~ /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status

91.400 s, 1 quiet (0 decided, last at 91.200 s), 1 lists, 0 other calls, 1 probes
  ~ /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status
    attempt: 1
    chainFailed: "a409d8c536ba9635"
    code: 3
    end: "stage failed"
    job: "b21161750535ff05"
    retry: "0000000000000001"
    since: 1760000091400
    stage: "base"
    step: "failed"
  + /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    active: 2001
    address: "sim-4"
    answered: true
    cause: "open"
    created: 1
    failed: 90401
    generation: "58c2d4f2b51c301b"
    group: "web"
    id: "sim-4"
    made: 1760000001000
    pass: 2
    reason: "free_slot"
    slot: 3
    state: "active"
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    job: "b21161750535ff05"
  ~ /default/Job/ID/00000000000000000026/status
    batch: {"canary":false,"count":3,"number":3,"size":1}
    failedNodes: "web-3"
    machines: {"creating":0,"failed":1,"gone":0,"leaving":0,"old":0,"ready":3,"skipped":0,"staging":1,"waiting":0,"wanted":5}
    problems: [{"name":"web-3","node":{"attempt":1,"code":3,"end":"stage failed","number":0,"since":1760000091400,"stage":"base","step":"failed","why":"E: no such package"},"text":"stage-0 base: E: no such package","tries":1}]
    progress: {"marks":"dddfr","request":"b21161750535ff05","seen":90401}

  + /default/Cluster/ID/status
    holds: 0
    machines: {"creating":0,"failed":1,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":5}
    observed: 1

  ~ /default/Node/ID/fbae27432718000000052c80c771e46a/status

91.600 s, 1 quiet (1 decided, last at 91.400 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000052c80c771e46a/status
    job: "b21161750535ff05"
  ~ /default/Job/ID/00000000000000000026/status
    ended: 1760000091600
    machines: {"creating":0,"failed":1,"gone":0,"leaving":0,"old":0,"ready":4,"skipped":0,"staging":0,"waiting":0,"wanted":5}
    progress: {"marks":"dddfd","request":"b21161750535ff05","seen":90601}
    state: "failed"

  - /default/Batches/ID/b21161750535ff05/base

151.000 s, 2 quiet (2 decided, last at 121.600 s), 2 lists, 0 other calls, 189 probes
=== those that failed, and another manager
=== the change: taken
  + /default/Batches/ID/f390ba89524ad909/base
    at: 1760000151000
    batches: [1,2,3,4,5]
    by: "ana"
    maxFail: 1
    nodes: "fbae27432718000000047fa3cb7da0a8,fbae27432718000000014bd8c442c5f8,fbae2743271800000002de820479c4a8,fbae27432718000000034981fbfa71b6,fbae27432718000000052c80c771e46a"

  + /default/Job/ID/00000000000000000037/status
    batch: {"canary":false,"count":5,"number":1,"size":1}
    begun: 1760000151000
    by: "ana"
    cluster: "shop"
    groups: []
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":0,"skipped":0,"staging":0,"waiting":5,"wanted":5}
    problems: []
    progress: {"marks":".....","request":"f390ba89524ad909","seen":150001}
    revision: 37
    state: "running"
    verb: "bootstrap"
    waits: []

  ~ /default/Job/ID/00000000000000000037/status
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":0,"skipped":0,"staging":1,"waiting":4,"wanted":5}
    progress: {"marks":"r....","request":"f390ba89524ad909","seen":150001}

  ~ /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status

161.000 s, 2 quiet (2 decided, last at 151.000 s), 2 lists, 0 other calls, 30 probes
  + /default/Lease/ID/status
    ahead: -999
    clock: "lab"
    session: "life-3"

  ~ /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status

161.200 s, 3 quiet (3 decided, last at 161.000 s), 3 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status
    job: "f390ba89524ad909"
    since: 1760000161200
    step: "bootstrapped"
    chainFailed: (none)
    end: (none)
    why: (none)
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    failed: (none)
  ~ /default/Job/ID/00000000000000000037/status
    batch: {"canary":false,"count":5,"number":2,"size":1}
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":1,"skipped":0,"staging":1,"waiting":3,"wanted":5}
    progress: {"marks":"dr...","request":"f390ba89524ad909","seen":160201}

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}

  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status

161.400 s, 1 quiet (1 decided, last at 161.200 s), 1 lists, 0 other calls, 1 probes
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    job: "f390ba89524ad909"
  ~ /default/Job/ID/00000000000000000037/status
    batch: {"canary":false,"count":5,"number":3,"size":1}
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":2,"skipped":0,"staging":1,"waiting":2,"wanted":5}
    progress: {"marks":"ddr..","request":"f390ba89524ad909","seen":160401}

  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status

161.600 s, 1 quiet (1 decided, last at 161.400 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    job: "f390ba89524ad909"
  ~ /default/Job/ID/00000000000000000037/status
    batch: {"canary":false,"count":5,"number":4,"size":1}
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":3,"skipped":0,"staging":1,"waiting":1,"wanted":5}
    progress: {"marks":"dddr.","request":"f390ba89524ad909","seen":160601}

  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status

161.800 s, 1 quiet (0 decided, last at 161.600 s), 1 lists, 0 other calls, 3 probes
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    job: "f390ba89524ad909"
  ~ /default/Job/ID/00000000000000000037/status
    batch: {"canary":false,"count":5,"number":5,"size":1}
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":4,"skipped":0,"staging":1,"waiting":0,"wanted":5}
    progress: {"marks":"ddddr","request":"f390ba89524ad909","seen":160801}

  ~ /default/Node/ID/fbae27432718000000052c80c771e46a/status

162.000 s, 1 quiet (0 decided, last at 161.800 s), 1 lists, 0 other calls, 1 probes
  ~ /default/Node/ID/fbae27432718000000052c80c771e46a/status
    job: "f390ba89524ad909"
  ~ /default/Job/ID/00000000000000000037/status
    ended: 1760000162000
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":5,"skipped":0,"staging":0,"waiting":0,"wanted":5}
    progress: {"marks":"ddddd","request":"f390ba89524ad909","seen":161001}
    state: "done"

  - /default/Batches/ID/f390ba89524ad909/base

221.000 s, 2 quiet (1 decided, last at 192.000 s), 2 lists, 0 other calls, 185 probes
=== web-1 cannot be reached
=== the change: taken
  + /default/Batches/ID/26a5e089ad19d9c9/base
    at: 1760000221000
    batches: [2,4,5]
    by: "ana"
    from: {"web":0}
    maxFail: 2
    nodes: "fbae27432718000000014bd8c442c5f8,fbae2743271800000002de820479c4a8,fbae27432718000000034981fbfa71b6,fbae27432718000000047fa3cb7da0a8,fbae27432718000000052c80c771e46a"

  + /default/Job/ID/00000000000000000054/status
    batch: {"canary":false,"count":3,"number":1,"size":2}
    begun: 1760000221000
    by: "ana"
    cluster: "shop"
    groups: []
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":0,"skipped":0,"staging":0,"waiting":5,"wanted":5}
    problems: []
    progress: {"marks":".....","request":"26a5e089ad19d9c9","seen":220001}
    revision: 54
    state: "running"
    verb: "bootstrap"
    waits: []

  ~ /default/Job/ID/00000000000000000054/status
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":0,"skipped":0,"staging":2,"waiting":3,"wanted":5}
    progress: {"marks":"rr...","request":"26a5e089ad19d9c9","seen":220001}

  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status

221.100 s, 1 quiet (1 decided, last at 221.000 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    blocked: "unreachable"
    blockedSince: 1760000221100
    blockedWhy: "no route to host"
    retryAt: 1760000226058

221.200 s, 1 quiet (0 decided, last at 221.100 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    job: "26a5e089ad19d9c9"
  ~ /default/Job/ID/00000000000000000054/status
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":1,"skipped":0,"staging":1,"waiting":3,"wanted":5}
    progress: {"marks":"dr...","request":"26a5e089ad19d9c9","seen":220201}

226.058 s, 1 quiet (0 decided, last at 221.200 s), 1 lists, 0 other calls, 15 probes
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status

226.100 s (0 decided, last at 221.200 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    retryAt: 1760000232232

232.232 s (0 decided, last at 221.200 s), 0 lists, 0 other calls, 20 probes
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status

232.300 s (0 decided, last at 221.200 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    retryAt: 1760000246995
  ~ /default/Job/ID/00000000000000000054/status
    batch: {"canary":false,"count":3,"number":2,"size":2}
    failedNodes: "web-1"
    machines: {"creating":0,"failed":1,"gone":0,"leaving":0,"old":0,"ready":1,"skipped":0,"staging":2,"waiting":1,"wanted":5}
    problems: [{"name":"web-1","text":"the machine could not be reached: no route to host","tries":3}]
    progress: {"marks":"durr.","request":"26a5e089ad19d9c9","seen":231301}

  ~ /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status

232.500 s (0 decided, last at 221.200 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status
    job: "26a5e089ad19d9c9"
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    job: "26a5e089ad19d9c9"
  ~ /default/Job/ID/00000000000000000054/status
    batch: {"canary":false,"count":3,"number":3,"size":1}
    machines: {"creating":0,"failed":1,"gone":0,"leaving":0,"old":0,"ready":3,"skipped":0,"staging":1,"waiting":0,"wanted":5}
    progress: {"marks":"duddr","request":"26a5e089ad19d9c9","seen":231501}

  ~ /default/Node/ID/fbae27432718000000052c80c771e46a/status

232.700 s, 1 quiet (0 decided, last at 232.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000052c80c771e46a/status
    job: "26a5e089ad19d9c9"
  ~ /default/Job/ID/00000000000000000054/status
    ended: 1760000232700
    machines: {"creating":0,"failed":1,"gone":0,"leaving":0,"old":0,"ready":4,"skipped":0,"staging":0,"waiting":0,"wanted":5}
    progress: {"marks":"duddd","request":"26a5e089ad19d9c9","seen":231701}
    state: "failed"

  - /default/Batches/ID/26a5e089ad19d9c9/base

  + /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    active: 2001
    address: "sim-2"
    answered: true
    blocked: true
    cause: "open"
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    id: "sim-2"
    made: 1760000001000
    pass: 2
    reason: "free_slot"
    slot: 1
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"blocked":1,"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}

=== the end
941.000 s, 24 quiet (3 decided, last at 922.700 s), 25 lists, 0 other calls, 2215 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-3 web/2 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-4 web/3 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-5 web/4 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
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
nodes.rerun_requested: actor "ana" count 5 fact "all stages from stage-0 on will run again on 5 machines, in 3 batches"
job.began: fact "job/16"
job.batch: fact "job/16: batch 1 of 3, web-[0-1]"
node.rerun: fact "not idempotent, and run again: stage-0 base" group "web" id "sim-2" node "web-1" slot 1
node.rerun: fact "not idempotent, and run again: stage-0 base" group "web" id "sim-1" node "web-0" slot 0
node.bootstrapped: group "web" id "sim-2" node "web-1" slot 1
node.bootstrapped: group "web" id "sim-1" node "web-0" slot 0
job.batch: fact "job/16: batch 2 of 3, web-[2-3]"
node.rerun: fact "not idempotent, and run again: stage-0 base" group "web" id "sim-4" node "web-3" slot 3
node.rerun: fact "not idempotent, and run again: stage-0 base" group "web" id "sim-3" node "web-2" slot 2
node.bootstrapped: group "web" id "sim-4" node "web-3" slot 3
node.bootstrapped: group "web" id "sim-3" node "web-2" slot 2
job.batch: fact "job/16: batch 3 of 3, web-4"
node.rerun: fact "not idempotent, and run again: stage-0 base" group "web" id "sim-5" node "web-4" slot 4
node.bootstrapped: group "web" id "sim-5" node "web-4" slot 4
job.done: fact "job/16: stages have succeeded on 5 of 5"
nodes.rerun_requested: actor "ana" count 5 fact "all stages from stage-0 on will run again on 5 machines, in 3 batches"
job.began: fact "job/26"
job.batch: fact "job/26: batch 1 of 3, web-[0-1]"
node.rerun: fact "not idempotent, and run again: stage-0 base" group "web" id "sim-2" node "web-1" slot 1
node.rerun: fact "not idempotent, and run again: stage-0 base" group "web" id "sim-1" node "web-0" slot 0
node.bootstrapped: group "web" id "sim-2" node "web-1" slot 1
node.bootstrapped: group "web" id "sim-1" node "web-0" slot 0
job.batch: fact "job/26: batch 2 of 3, web-[2-3]"
node.rerun: fact "not idempotent, and run again: stage-0 base" group "web" id "sim-4" node "web-3" slot 3
node.rerun: fact "not idempotent, and run again: stage-0 base" group "web" id "sim-3" node "web-2" slot 2
node.failed: fact "stage-0 base: stage failed: E: no such package" group "web" id "sim-4" node "web-3" slot 3
node.bootstrapped: group "web" id "sim-3" node "web-2" slot 2
job.batch: fact "job/26: batch 3 of 3, web-4"
node.rerun: fact "not idempotent, and run again: stage-0 base" group "web" id "sim-5" node "web-4" slot 4
node.bootstrapped: group "web" id "sim-5" node "web-4" slot 4
job.done: fact "job/26: stages have succeeded on 4 of 5"
nodes.rerun_requested: actor "ana" count 5 fact "stages that did not succeed will run again on 5 machines, in 5 batches"
job.began: fact "job/37"
job.batch: fact "job/37: batch 1 of 5, web-3"
node.rerun: group "web" id "sim-4" node "web-3" slot 3
node.rerun: group "web" id "sim-4" node "web-3" slot 3
node.bootstrapped: group "web" id "sim-4" node "web-3" slot 3
job.batch: fact "job/37: batch 2 of 5, web-0"
node.rerun: group "web" id "sim-1" node "web-0" slot 0
node.bootstrapped: group "web" id "sim-1" node "web-0" slot 0
job.batch: fact "job/37: batch 3 of 5, web-1"
node.rerun: group "web" id "sim-2" node "web-1" slot 1
node.bootstrapped: group "web" id "sim-2" node "web-1" slot 1
job.batch: fact "job/37: batch 4 of 5, web-2"
node.rerun: group "web" id "sim-3" node "web-2" slot 2
node.bootstrapped: group "web" id "sim-3" node "web-2" slot 2
job.batch: fact "job/37: batch 5 of 5, web-4"
node.rerun: group "web" id "sim-5" node "web-4" slot 4
node.bootstrapped: group "web" id "sim-5" node "web-4" slot 4
job.done: fact "job/37: stages have succeeded on 5 of 5"
nodes.rerun_requested: actor "ana" count 5 fact "all stages from stage-0 on will run again on 5 machines, in 3 batches"
job.began: fact "job/54"
job.batch: fact "job/54: batch 1 of 3, web-[0-1]"
node.rerun: fact "not idempotent, and run again: stage-0 base" group "web" id "sim-2" node "web-1" slot 1
node.rerun: fact "not idempotent, and run again: stage-0 base" group "web" id "sim-1" node "web-0" slot 0
node.unreachable: fact "no route to host; next try at 2025-10-09T08:57:06.058Z" group "web" id "sim-2" node "web-1" slot 1
node.bootstrapped: group "web" id "sim-1" node "web-0" slot 0
node.rerun: fact "not idempotent, and run again: stage-0 base" group "web" id "sim-2" node "web-1" slot 1
node.rerun: fact "not idempotent, and run again: stage-0 base" group "web" id "sim-2" node "web-1" slot 1
job.batch: fact "job/54: batch 2 of 3, web-[2-3]"
node.rerun: fact "not idempotent, and run again: stage-0 base" group "web" id "sim-4" node "web-3" slot 3
node.rerun: fact "not idempotent, and run again: stage-0 base" group "web" id "sim-3" node "web-2" slot 2
node.bootstrapped: group "web" id "sim-4" node "web-3" slot 3
node.bootstrapped: group "web" id "sim-3" node "web-2" slot 2
job.batch: fact "job/54: batch 3 of 3, web-4"
node.rerun: fact "not idempotent, and run again: stage-0 base" group "web" id "sim-5" node "web-4" slot 4
node.bootstrapped: group "web" id "sim-5" node "web-4" slot 4
job.done: fact "job/54: stages have succeeded on 4 of 5"
