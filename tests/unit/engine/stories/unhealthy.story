1.000 s

  + /default/Lease/ID/status
    ahead: -999
    clock: "lab"
    session: "life-1"

  + /default/Pass/ID/000000000001
    (bytes)
  + /default/Pass/ID/status
    chains: 1 1 1 1760000001000 ; 
    next: 2
  + /default/Control/ID/status
    life: "30313233343536373839616263646566"
    series: {"fbae27432718":[4,1,1]}
  + /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    labels: "-"
    life: "30313233343536373839616263646566"
    made: 1760000001000
    name: "web-0"
    pass: 1
    plugin: "sim"
    reason: "free_slot"
    slot: 0
    state: "create"
  + /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    labels: "-"
    life: "30313233343536373839616263646566"
    made: 1760000001000
    name: "web-1"
    pass: 1
    plugin: "sim"
    reason: "free_slot"
    slot: 1
    state: "create"
  + /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    labels: "-"
    life: "30313233343536373839616263646566"
    made: 1760000001000
    name: "web-2"
    pass: 1
    plugin: "sim"
    reason: "free_slot"
    slot: 2
    state: "create"
  + /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    labels: "-"
    life: "30313233343536373839616263646566"
    made: 1760000001000
    name: "web-3"
    pass: 1
    plugin: "sim"
    reason: "free_slot"
    slot: 3
    state: "create"
  + /default/Cluster/ID/status
    holds: 0
    machines: {"creating":4,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":4}
    observed: 1
  + /default/Job/ID/00000000000000000001/status
    begun: 1760000001000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":4,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":4}]
    machines: {"creating":4,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":4}
    revision: 1
    state: "running"
    troubles: []
    waits: []

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

3.000 s
  + /default/Pass/ID/000000000002
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 2 1 1760000003000 ; 
    next: 3
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
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    active: 2001
    address: "sim-4"
    pass: 2
    starting: true
    state: "active"

3.168 s
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    cause: "open"
    starting: (none)
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    cause: "open"
    starting: (none)

  ~ /default/Cluster/ID/status
    machines: {"creating":2,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"creating":2,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":4}]
    machines: {"creating":2,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":4}

3.308 s
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    cause: "open"
    starting: (none)

  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":3,"updated":3,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":4}

3.510 s
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    cause: "open"
    starting: (none)

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000001/status
    ended: 1760000003510
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}
    state: "done"

=== all are unhealthy
123.208 s
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    cause: "exit code 3"
    unhealthy: 120009

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":1,"unreachable":0,"wanted":4}

123.410 s
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    cause: "exit code 3"
    unhealthy: 120211

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":2,"unreachable":0,"wanted":4}

124.168 s
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    cause: "exit code 3"
    unhealthy: 120969
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    cause: "exit code 3"
    unhealthy: 120969

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":4,"unreachable":0,"wanted":4}

181.008 s
  + /default/Pass/ID/000000000003
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 3 1 1760000181008 ; 
    next: 4
  + /default/Hold/ID/unhealthy_brake/web/status
    advice: "find out what makes them unhealthy; raise maxUnhealthy to have them replaced all the same"
    cluster: "shop"
    fact: "4 of 4 machines are unhealthy or unreachable"
    group: "web"
    pass: 3
    rule: "unhealthy_brake"
    since: 1760000181008
    why: "more machines are unhealthy, or have failed, than maxUnhealthy allows"
    wouldCreate: 1
    wouldDestroy: 1
  ~ /default/Cluster/ID/status
    holds: 1

181.210 s
  + /default/Pass/ID/000000000004
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 4 1 1760000181210 ; 
    next: 5
  ~ /default/Hold/ID/unhealthy_brake/web/status
    pass: 4
    wouldCreate: 2
    wouldDestroy: 2

181.968 s
  + /default/Pass/ID/000000000005
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 5 1 1760000181968 ; 
    next: 6
  ~ /default/Hold/ID/unhealthy_brake/web/status
    pass: 5
    wouldCreate: 4
    wouldDestroy: 4

=== unhealthy_brake of shop/web is not there
=== all are healthy
721.968 s
  + /default/Pass/ID/000000000006
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 6 1 1760000721968 ; 
    next: 7
  - /default/Hold/ID/unhealthy_brake/web/status
  ~ /default/Cluster/ID/status
    holds: 0

722.368 s
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    cause: "open"
    unhealthy: (none)
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    cause: "open"
    unhealthy: (none)
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    cause: "open"
    unhealthy: (none)

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":1,"unreachable":0,"wanted":4}

722.668 s
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    cause: "open"
    unhealthy: (none)

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}

=== healing is off
1021.000 s

  ~ /default/Cluster/ID/status
    observed: 26

1023.668 s
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    cause: "exit code 4"
    unhealthy: 1020469
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    cause: "exit code 4"
    unhealthy: 1020469
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    cause: "exit code 4"
    unhealthy: 1020469

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":1,"unhealthy":3,"unreachable":0,"wanted":4}

1023.968 s
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    cause: "exit code 4"
    unhealthy: 1020769

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":4,"unreachable":0,"wanted":4}

1081.468 s
  + /default/Pass/ID/000000000007
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 7 1 1760001081468 ; 
    next: 8
  + /default/Hold/ID/unhealed/web/status
    advice: "mend it by hand, or set heal: replace"
    cluster: "shop"
    fact: "3 machines"
    group: "web"
    pass: 7
    rule: "unhealed"
    since: 1760001081468
    why: "it does not serve, and nothing more is done to it unasked"
    wouldCreate: 3
    wouldDestroy: 3
  ~ /default/Cluster/ID/status
    holds: 1

1081.768 s
  + /default/Pass/ID/000000000008
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 8 1 1760001081768 ; 
    next: 9
  ~ /default/Hold/ID/unhealed/web/status
    fact: "4 machines"
    pass: 8
    wouldCreate: 4
    wouldDestroy: 4

=== another host key
1321.668 s
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    alarm: "another key"
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    alarm: "another key"
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    alarm: "another key"

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    cause: "another key"
    silent: 1760001021468
    unreachable: 1020469
    unhealthy: (none)
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    cause: "another key"
    silent: 1760001021468
    unreachable: 1020469
    unhealthy: (none)
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    cause: "another key"
    silent: 1760001021468
    unreachable: 1020469
    unhealthy: (none)

  + /default/Pass/ID/000000000009
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 9 1 1760001321668 ; 
    next: 10
  + /default/Hold/ID/self_suspicion/status
    advice: "check the network of the manager: nothing is destroyed or replaced because of its own probes, and the hold ends when half of the machines answer again; approve it if the machines are really gone"
    cluster: "shop"
    fact: "3 of 4 machines that this manager reached do not answer it any more"
    observation: "life-1/1"
    pass: 9
    rule: "self_suspicion"
    since: 1760001321668
    why: "this manager lost contact with most machines that it reached a minute ago: it suspects its own network"
    wouldCreate: 0
    wouldDestroy: 0
  + /default/Hold/ID/unreachable/web/status
    advice: "see that it can be reached, or set onUnreachable: replace"
    cluster: "shop"
    fact: "3 machines"
    group: "web"
    pass: 9
    rule: "unreachable"
    since: 1760001321668
    why: "it cannot be reached, and that is not yet reason enough to end it"
    wouldCreate: 0
    wouldDestroy: 0
  - /default/Hold/ID/unhealed/web/status
  ~ /default/Cluster/ID/status
    alarms: 3
    holds: 2
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":1,"unreachable":3,"wanted":4}

1321.968 s
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    alarm: "another key"

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    cause: "another key"
    silent: 1760001021768
    unreachable: 1020769
    unhealthy: (none)

  + /default/Pass/ID/000000000010
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 10 1 1760001321968 ; 
    next: 11
  ~ /default/Hold/ID/self_suspicion/status
    fact: "4 of 4 machines that this manager reached do not answer it any more"
    pass: 10
  ~ /default/Hold/ID/unreachable/web/status
    fact: "4 machines"
    pass: 10
  ~ /default/Cluster/ID/status
    alarms: 4
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":4,"wanted":4}

=== events

{"actor":"ana","groups":["web"],"kind":"Cluster","name":"shop","object":"ID","sums":{"change":0,"create":4,"destroy":0,"groups":1,"nodes":4,"reboot":0,"replace":0},"type":"cluster.created"}
{"actor":"reeve","fact":"size is 4, 0 recorded","group":"web","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":1,"rule":"free_slot","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.wanted"}
{"actor":"reeve","fact":"size is 4, 0 recorded","group":"web","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":1,"rule":"free_slot","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.wanted"}
{"actor":"reeve","fact":"size is 4, 0 recorded","group":"web","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":1,"rule":"free_slot","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.wanted"}
{"actor":"reeve","fact":"size is 4, 0 recorded","group":"web","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":1,"rule":"free_slot","slot":3,"token":"fbae27432718000000047fa3cb7da0a8","type":"machine.wanted"}
{"actor":"reeve","fact":"job/1","kind":"Cluster","name":"shop","object":"ID","type":"job.began"}
{"actor":"reeve","group":"web","id":"sim-4","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":1,"rule":"free_slot","slot":3,"token":"fbae27432718000000047fa3cb7da0a8","type":"machine.made"}
{"actor":"reeve","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":1,"rule":"free_slot","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.made"}
{"actor":"reeve","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":1,"rule":"free_slot","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.made"}
{"actor":"reeve","group":"web","id":"sim-1","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":1,"rule":"free_slot","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.made"}
{"actor":"reeve","fact":"sim-1 runs","group":"web","id":"sim-1","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":2,"rule":"activate","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.running"}
{"actor":"reeve","fact":"sim-2 runs","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":2,"rule":"activate","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.running"}
{"actor":"reeve","fact":"sim-3 runs","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":2,"rule":"activate","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.running"}
{"actor":"reeve","fact":"sim-4 runs","group":"web","id":"sim-4","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":2,"rule":"activate","slot":3,"token":"fbae27432718000000047fa3cb7da0a8","type":"machine.running"}
{"actor":"reeve","fact":"open","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":2,"rule":"probe","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.ready"}
{"actor":"reeve","fact":"open","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":2,"rule":"probe","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.ready"}
{"actor":"reeve","fact":"open","group":"web","id":"sim-1","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":2,"rule":"probe","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.ready"}
{"actor":"reeve","fact":"open","group":"web","id":"sim-4","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":2,"rule":"probe","slot":3,"token":"fbae27432718000000047fa3cb7da0a8","type":"machine.ready"}
{"actor":"reeve","fact":"job/1","kind":"Cluster","name":"shop","object":"ID","type":"job.done"}
{"actor":"reeve","fact":"exit code 3","group":"web","id":"sim-1","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":2,"rule":"probe","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.unhealthy"}
{"actor":"reeve","fact":"exit code 3","group":"web","id":"sim-4","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":2,"rule":"probe","slot":3,"token":"fbae27432718000000047fa3cb7da0a8","type":"machine.unhealthy"}
{"actor":"reeve","fact":"exit code 3","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":2,"rule":"probe","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.unhealthy"}
{"actor":"reeve","fact":"exit code 3","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":2,"rule":"probe","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.unhealthy"}
{"actor":"reeve","fact":"4 of 4 machines are unhealthy or unreachable","group":"web","kind":"Cluster","name":"shop","object":"ID","pass":3,"rule":"unhealthy_brake","type":"hold.began"}
{"actor":"reeve","group":"web","kind":"Cluster","name":"shop","object":"ID","pass":6,"rule":"unhealthy_brake","type":"hold.ended"}
{"actor":"reeve","fact":"open","group":"web","id":"sim-1","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":2,"rule":"probe","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.well"}
{"actor":"reeve","fact":"open","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":2,"rule":"probe","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.well"}
{"actor":"reeve","fact":"open","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":2,"rule":"probe","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.well"}
{"actor":"reeve","fact":"open","group":"web","id":"sim-4","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":2,"rule":"probe","slot":3,"token":"fbae27432718000000047fa3cb7da0a8","type":"machine.well"}
{"actor":"ana","groups":["web"],"kind":"Cluster","name":"shop","object":"ID","sums":{"change":0,"create":0,"destroy":0,"groups":1,"nodes":4,"reboot":0,"replace":0},"type":"cluster.changed"}
{"actor":"reeve","fact":"exit code 4","group":"web","id":"sim-1","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":2,"rule":"probe","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.unhealthy"}
{"actor":"reeve","fact":"exit code 4","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":2,"rule":"probe","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.unhealthy"}
{"actor":"reeve","fact":"exit code 4","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":2,"rule":"probe","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.unhealthy"}
{"actor":"reeve","fact":"exit code 4","group":"web","id":"sim-4","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":2,"rule":"probe","slot":3,"token":"fbae27432718000000047fa3cb7da0a8","type":"machine.unhealthy"}
{"actor":"reeve","fact":"3 machines","group":"web","kind":"Cluster","name":"shop","object":"ID","pass":7,"rule":"unhealed","type":"hold.began"}
{"actor":"reeve","fact":"another key","group":"web","id":"sim-1","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":2,"rule":"probe","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.alarm"}
{"actor":"reeve","fact":"another key","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":2,"rule":"probe","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.alarm"}
{"actor":"reeve","fact":"another key","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":2,"rule":"probe","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.alarm"}
{"actor":"reeve","fact":"another key","group":"web","id":"sim-1","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":2,"rule":"probe","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.unreachable"}
{"actor":"reeve","fact":"another key","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":2,"rule":"probe","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.unreachable"}
{"actor":"reeve","fact":"another key","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":2,"rule":"probe","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.unreachable"}
{"actor":"reeve","fact":"3 of 4 machines that this manager reached do not answer it any more","kind":"Cluster","name":"shop","object":"ID","pass":9,"rule":"self_suspicion","type":"hold.began"}
{"actor":"reeve","fact":"3 machines","group":"web","kind":"Cluster","name":"shop","object":"ID","pass":9,"rule":"unreachable","type":"hold.began"}
{"actor":"reeve","group":"web","kind":"Cluster","name":"shop","object":"ID","pass":9,"rule":"unhealed","type":"hold.ended"}
{"actor":"reeve","fact":"another key","group":"web","id":"sim-4","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":2,"rule":"probe","slot":3,"token":"fbae27432718000000047fa3cb7da0a8","type":"machine.alarm"}
{"actor":"reeve","fact":"another key","group":"web","id":"sim-4","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":2,"rule":"probe","slot":3,"token":"fbae27432718000000047fa3cb7da0a8","type":"machine.unreachable"}
