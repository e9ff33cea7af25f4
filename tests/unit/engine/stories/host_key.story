1.000 s (0 decided, last at 0.000 s), 0 lists, 0 other calls, 0 probes
  + /default/Lease/ID/status
    ahead: -999
    clock: "lab"
    session: "life-2"

  + /default/Control/ID/status
    series: {"fbae27432718":[2,1,1]}
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
  + /default/Cluster/ID/status
    holds: 0
    machines: {"creating":2,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":2}
    observed: 1

  + /default/Job/ID/00000000000000000001/status
    begun: 1760000001000
    by: "ana"
    cluster: "shop"
    groups: [{"chain":"a409d8c536ba9635","creating":2,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":2}]
    machines: {"creating":2,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":2}
    problems: []
    revision: 1
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true
    id: "sim-2"
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true
    id: "sim-1"

3.000 s, 1 done, 5 quiet (6 decided, last at 2.500 s), 7 lists, 2 other calls, 0 probes
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

  + /default/Node/ID/fbae2743271800000002de820479c4a8/status
  + /default/Node/ID/fbae27432718000000014bd8c442c5f8/status

3.100 s, 1 done (1 decided, last at 3.000 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    alarm: "the host has another key"
    shown: "ssh-ed25519 AAAA"
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    blocked: "other"
    blockedSince: 1760000003100
    blockedWhy: "the host has another key"
    retryAt: 1760000008051
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    keys: {"host":"fbae27432718000000014bd8c442c5f8","root":"r"}
    since: 1760000003100
    step: "keys"

  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    step: "keyed"
    trustGiven: "c0000000000000001.0000000000000001.0.2"

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    blocked: true
  ~ /default/Cluster/ID/status
    alarms: 1
    machines: {"blocked":1,"creating":2,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":2}
  ~ /default/Job/ID/00000000000000000001/status
    failedNodes: "web-1"
    problems: [{"name":"web-1","nextAt":1760000008051,"text":"the host has another key","tries":1}]

3.200 s, 1 quiet (1 decided, last at 3.100 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    facts: {"name":"web-0"}
    since: 1760000003200
    step: "facts"

8.100 s, 2 quiet (2 decided, last at 3.729 s), 2 lists, 0 other calls, 7 probes
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    retryAt: 1760000016293

  ~ /default/Job/ID/00000000000000000001/status
    problems: [{"name":"web-1","nextAt":1760000016293,"text":"the host has another key","tries":2}]

16.300 s, 1 quiet (1 decided, last at 8.100 s), 1 lists, 0 other calls, 10 probes
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    retryAt: 1760000032886

  ~ /default/Job/ID/00000000000000000001/status
    problems: [{"name":"web-1","nextAt":1760000032886,"text":"the host has another key","tries":3}]

32.900 s, 1 quiet (1 decided, last at 16.300 s), 1 lists, 0 other calls, 21 probes
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    retryAt: 1760000061789

  ~ /default/Job/ID/00000000000000000001/status
    problems: [{"name":"web-1","nextAt":1760000061789,"text":"the host has another key","tries":4}]

61.800 s, 1 quiet (1 decided, last at 32.900 s), 1 lists, 0 other calls, 36 probes
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    retryAt: 1760000107867

  ~ /default/Job/ID/00000000000000000001/status
    problems: [{"name":"web-1","nextAt":1760000107867,"text":"the host has another key","tries":5}]

107.900 s, 2 quiet (2 decided, last at 91.800 s), 2 lists, 0 other calls, 58 probes
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    retryAt: 1760000263528

  ~ /default/Job/ID/00000000000000000001/status
    problems: [{"name":"web-1","nextAt":1760000263528,"text":"the host has another key","tries":6}]

121.000 s, 1 quiet (1 decided, last at 107.900 s), 1 lists, 0 other calls, 16 probes
=== still another one
263.600 s, 5 quiet (5 decided, last at 257.900 s), 5 lists, 0 other calls, 178 probes
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    shown: "ssh-ed25519 BBBB"
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    retryAt: 1760000487314

  ~ /default/Job/ID/00000000000000000001/status
    problems: [{"name":"web-1","nextAt":1760000487314,"text":"the host has another key","tries":7}]

487.400 s, 9 quiet (9 decided, last at 473.600 s), 9 lists, 0 other calls, 280 probes
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    retryAt: 1760000691153

  ~ /default/Job/ID/00000000000000000001/status
    problems: [{"name":"web-1","nextAt":1760000691153,"text":"the host has another key","tries":8}]

691.200 s, 7 quiet (7 decided, last at 667.400 s), 7 lists, 0 other calls, 255 probes
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    retryAt: 1760000979660

  ~ /default/Job/ID/00000000000000000001/status
    problems: [{"name":"web-1","nextAt":1760000979660,"text":"the host has another key","tries":9}]

979.700 s, 10 quiet (10 decided, last at 961.200 s), 10 lists, 0 other calls, 360 probes
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    retryAt: 1760001175892

  ~ /default/Job/ID/00000000000000000001/status
    problems: [{"name":"web-1","nextAt":1760001175892,"text":"the host has another key","tries":10}]

1021.000 s, 2 quiet (2 decided, last at 1009.700 s), 2 lists, 0 other calls, 52 probes
=== the right one
1175.900 s, 5 quiet (5 decided, last at 1159.700 s), 5 lists, 0 other calls, 193 probes
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    alarm: (none)
    shown: (none)
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    keys: {"host":"fbae2743271800000002de820479c4a8","root":"r"}
    since: 1760001175900
    step: "keys"

  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    step: "keyed"
    trustGiven: "c0000000000000001.0000000000000001.0.2"

  ~ /default/Cluster/ID/status
    alarms: (none)

1176.000 s, 2 quiet (2 decided, last at 1175.900 s), 2 lists, 0 other calls, 1 probes
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    facts: {"name":"web-1"}
    factsGiven: "1f341867e7cbded0ae6a3e4d2164875e"
    since: 1760001176000
    step: "facts"
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    factsGiven: "1f341867e7cbded0ae6a3e4d2164875e"

1176.100 s (0 decided, last at 1175.900 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    chainDone: "a409d8c536ba9635"
    since: 1760001176100
    step: "bootstrapped"
    blocked: (none)
    blockedSince: (none)
    blockedWhy: (none)
    retryAt: (none)
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    starting: (none)
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    chainDone: "a409d8c536ba9635"
    since: 1760001176100
    step: "bootstrapped"
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    starting: (none)

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    blocked: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":2}
  ~ /default/Job/ID/00000000000000000001/status
    ended: 1760001176100
    groups: [{"chain":"a409d8c536ba9635","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}
    problems: []
    state: "done"
    failedNodes: (none)

=== the end
1921.000 s, 25 quiet (3 decided, last at 1896.100 s), 26 lists, 0 other calls, 931 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
last probe: web-1 at sim-2 port 22 by SSH, 0 words, within 1000 ms
=== events
cluster.created: actor "ana" groups ["web"] sums {"change":0,"create":2,"destroy":0,"groups":1,"nodes":2,"reboot":0,"replace":0}
machine.wanted: fact "size is 2, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 2, 0 recorded" group "web" node "web-1" pass 1 rule "free_slot" slot 1
job.began: fact "job/1"
machine.created: group "web" id "sim-2" node "web-1" pass 1 rule "free_slot" slot 1
machine.created: group "web" id "sim-1" node "web-0" pass 1 rule "free_slot" slot 0
machine.running: fact "sim-1 runs" group "web" id "sim-1" node "web-0" pass 2 rule "activate" slot 0
machine.running: fact "sim-2 runs" group "web" id "sim-2" node "web-1" pass 2 rule "activate" slot 1
machine.alarm: fact "the host has another key" group "web" id "sim-2" node "web-1" pass 2 rule "probe" slot 1
node.refused: fact "the host has another key; next try at 2025-10-09T08:53:28.051Z" group "web" id "sim-2" node "web-1" slot 1
node.keyed: group "web" id "sim-1" node "web-0" slot 0
machine.alarm: fact "the host has another key" group "web" id "sim-2" node "web-1" pass 2 rule "probe" slot 1
machine.alarm_cleared: group "web" id "sim-2" node "web-1" pass 2 rule "probe" slot 1
node.keyed: group "web" id "sim-2" node "web-1" slot 1
node.bootstrapped: group "web" id "sim-2" node "web-1" slot 1
machine.ready: group "web" id "sim-2" node "web-1" pass 2 rule "bootstrap" slot 1
node.bootstrapped: group "web" id "sim-1" node "web-0" slot 0
machine.ready: group "web" id "sim-1" node "web-0" pass 2 rule "bootstrap" slot 0
job.done: fact "job/1"
