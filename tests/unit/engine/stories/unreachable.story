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

=== web-0 is cut off
123.208 s
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    cause: "no answer"
    silent: 1760000121008
    unreachable: 120009

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":1,"wanted":4}

181.008 s
  + /default/Pass/ID/000000000003
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 3 1 1760000181008 ; 
    next: 4
  ~ /default/Control/ID/status
    spent: [[1,180009]]
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    condemned: 180009
    losses: 1
    pass: 3
    reason: "sick"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":4}

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true

  + /default/Pass/ID/000000000004
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 4 1 1760000181008 ; 
    next: 5
  ~ /default/Control/ID/status
    series: {"fbae27432718":[5,1,180009]}
  + /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    created: 180009
    generation: "58c2d4f2b51c301b"
    group: "web"
    labels: "-"
    life: "30313233343536373839616263646566"
    losses: 1
    made: 1760000181008
    name: "web-0"
    pass: 4
    plugin: "sim"
    reason: "free_slot"
    slot: 0
    state: "create"
  - /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":4}

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true
    id: "sim-5"

183.008 s
  + /default/Pass/ID/000000000005
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 5 1 1760000183008 ; 
    next: 6
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    active: 182009
    address: "sim-5"
    pass: 5
    starting: true
    state: "active"

485.908 s
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    cause: "no answer"
    silent: 1760000483708
    unreachable: 482709

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":1,"wanted":4}

543.708 s
  + /default/Pass/ID/000000000006
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 6 1 1760000543708 ; 
    next: 7
  + /default/Hold/ID/budget/web/status
    advice: "wait: it goes on in the next window"
    cluster: "shop"
    fact: "1 wait for the next window"
    group: "web"
    pass: 6
    rule: "budget"
    since: 1760000543708
    why: "enough was destroyed in this window"
    wouldCreate: 1
    wouldDestroy: 1
  ~ /default/Cluster/ID/status
    holds: 1

=== it answers again, and then most are cut off: the manager suspects itself
722.308 s
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    cause: "open"
    silent: (none)
    starting: (none)
    unreachable: (none)

  + /default/Pass/ID/000000000007
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 7 1 1760000722308 ; 
    next: 8
  - /default/Hold/ID/budget/web/status
  ~ /default/Cluster/ID/status
    holds: 0
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}

4921.308 s
  + /default/Pass/ID/000000000008
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 8 1 1760004921308 ; 
    next: 9
  + /default/Hold/ID/self_suspicion/status
    advice: "check the network of the manager: nothing is destroyed or replaced because of its own probes, and the hold ends when half of the machines answer again; approve it if the machines are really gone"
    cluster: "shop"
    fact: "3 of 4 machines that this manager reached do not answer it any more"
    observation: "life-1/1"
    pass: 8
    rule: "self_suspicion"
    since: 1760004921308
    why: "this manager lost contact with most machines that it reached a minute ago: it suspects its own network"
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1

4923.508 s
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    cause: "no answer"
    silent: 1760004921308
    unreachable: 4920309
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    cause: "no answer"
    silent: 1760004921308
    unreachable: 4920309
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    cause: "no answer"
    silent: 1760004921308
    unreachable: 4920309

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":1,"unhealthy":0,"unreachable":3,"wanted":4}

4981.308 s
  + /default/Pass/ID/000000000009
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 9 1 1760004981308 ; 
    next: 10
  + /default/Hold/ID/unreachable/web/status
    advice: "see that it can be reached, or set onUnreachable: replace"
    cluster: "shop"
    fact: "3 machines"
    group: "web"
    pass: 9
    rule: "unreachable"
    since: 1760004981308
    why: "it cannot be reached, and that is not yet reason enough to end it"
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 2

5221.000 s

=== self_suspicion of shop is answered
  + /default/Pass/ID/000000000010
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 10 1 1760005221000 ; 
    next: 11
  + /default/Hold/ID/unhealthy_brake/web/status
    advice: "find out what makes them unhealthy; raise maxUnhealthy to have them replaced all the same"
    cluster: "shop"
    fact: "3 of 4 machines are unhealthy or unreachable"
    group: "web"
    pass: 10
    rule: "unhealthy_brake"
    since: 1760005221000
    why: "more machines are unhealthy, or have failed, than maxUnhealthy allows"
    wouldCreate: 3
    wouldDestroy: 3
  - /default/Hold/ID/unreachable/web/status
  ~ /default/Cluster/ID/status
    holds: 1

=== all answer again
5822.000 s
  + /default/Pass/ID/000000000011
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 11 1 1760005822000 ; 
    next: 12
  + /default/Hold/ID/unreachable/web/status
    advice: "see that it can be reached, or set onUnreachable: replace"
    cluster: "shop"
    fact: "3 machines"
    group: "web"
    pass: 11
    rule: "unreachable"
    since: 1760005822000
    why: "it cannot be reached, and that is not yet reason enough to end it"
    wouldCreate: 0
    wouldDestroy: 0
  - /default/Hold/ID/self_suspicion/status
  - /default/Hold/ID/unhealthy_brake/web/status

5823.100 s
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    cause: "open"
    silent: (none)
    unreachable: (none)
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    cause: "open"
    silent: (none)
    unreachable: (none)
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    cause: "open"
    silent: (none)
    unreachable: (none)

  + /default/Pass/ID/000000000012
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 12 1 1760005823100 ; 
    next: 13
  - /default/Hold/ID/unreachable/web/status
  ~ /default/Cluster/ID/status
    holds: 0
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}

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
{"actor":"reeve","fact":"no answer","group":"web","id":"sim-1","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":2,"rule":"probe","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.unreachable"}
{"actor":"reeve","fact":"for 60 s","group":"web","id":"sim-1","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":3,"rule":"sick","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.condemned"}
{"actor":"reeve","group":"web","id":"sim-1","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":3,"rule":"sick","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.ended"}
{"actor":"reeve","fact":"size is 4, 3 recorded","group":"web","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":4,"rule":"free_slot","slot":0,"token":"fbae27432718000000052c80c771e46a","type":"machine.wanted"}
{"actor":"reeve","fact":"the provider has said that it is done","group":"web","id":"sim-1","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":4,"rule":"forget","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.gone"}
{"actor":"reeve","group":"web","id":"sim-5","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":4,"rule":"free_slot","slot":0,"token":"fbae27432718000000052c80c771e46a","type":"machine.made"}
{"actor":"reeve","fact":"sim-5 runs","group":"web","id":"sim-5","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":5,"rule":"activate","slot":0,"token":"fbae27432718000000052c80c771e46a","type":"machine.running"}
{"actor":"reeve","fact":"no answer","group":"web","id":"sim-5","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":5,"rule":"probe","slot":0,"token":"fbae27432718000000052c80c771e46a","type":"machine.unreachable"}
{"actor":"reeve","fact":"1 wait for the next window","group":"web","kind":"Cluster","name":"shop","object":"ID","pass":6,"rule":"budget","type":"hold.began"}
{"actor":"reeve","fact":"open","group":"web","id":"sim-5","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":5,"rule":"probe","slot":0,"token":"fbae27432718000000052c80c771e46a","type":"machine.ready"}
{"actor":"reeve","group":"web","kind":"Cluster","name":"shop","object":"ID","pass":7,"rule":"budget","type":"hold.ended"}
{"actor":"reeve","fact":"3 of 4 machines that this manager reached do not answer it any more","kind":"Cluster","name":"shop","object":"ID","pass":8,"rule":"self_suspicion","type":"hold.began"}
{"actor":"reeve","fact":"no answer","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":2,"rule":"probe","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.unreachable"}
{"actor":"reeve","fact":"no answer","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":2,"rule":"probe","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.unreachable"}
{"actor":"reeve","fact":"no answer","group":"web","id":"sim-5","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":5,"rule":"probe","slot":0,"token":"fbae27432718000000052c80c771e46a","type":"machine.unreachable"}
{"actor":"reeve","fact":"3 machines","group":"web","kind":"Cluster","name":"shop","object":"ID","pass":9,"rule":"unreachable","type":"hold.began"}
{"actor":"ana","kind":"Cluster","name":"shop","object":"ID","rule":"self_suspicion","type":"hold.approved"}
{"actor":"reeve","fact":"3 of 4 machines are unhealthy or unreachable","group":"web","kind":"Cluster","name":"shop","object":"ID","pass":10,"rule":"unhealthy_brake","type":"hold.began"}
{"actor":"reeve","group":"web","kind":"Cluster","name":"shop","object":"ID","pass":10,"rule":"unreachable","type":"hold.ended"}
{"actor":"reeve","fact":"3 machines","group":"web","kind":"Cluster","name":"shop","object":"ID","pass":11,"rule":"unreachable","type":"hold.began"}
{"actor":"reeve","kind":"Cluster","name":"shop","object":"ID","pass":11,"rule":"self_suspicion","type":"hold.ended"}
{"actor":"reeve","group":"web","kind":"Cluster","name":"shop","object":"ID","pass":11,"rule":"unhealthy_brake","type":"hold.ended"}
{"actor":"reeve","fact":"open","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":2,"rule":"probe","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.well"}
{"actor":"reeve","fact":"open","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":2,"rule":"probe","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.well"}
{"actor":"reeve","fact":"open","group":"web","id":"sim-5","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":5,"rule":"probe","slot":0,"token":"fbae27432718000000052c80c771e46a","type":"machine.well"}
{"actor":"reeve","group":"web","kind":"Cluster","name":"shop","object":"ID","pass":12,"rule":"unreachable","type":"hold.ended"}
