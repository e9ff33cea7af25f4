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
    pass: 2
    state: "active"
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    active: 2001
    pass: 2
    state: "active"
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    active: 2001
    pass: 2
    state: "active"
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    active: 2001
    pass: 2
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000001/status
    ended: 1760000003000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}
    state: "done"

=== one
61.000 s

=== the change: taken
  + /default/Pass/ID/000000000003
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 3 1 1760000061000 ; 
    next: 4
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    pass: 3
    rebootBegun: 60001
    rebootBy: "ana"
    rebootNumber: 1
    rebootServed: true
    rebooted: 60001
    starting: true
  ~ /default/Cluster/ID/status
    observed: 6
  + /default/Job/ID/00000000000000000006/status
    begun: 1760000061000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"reboots":1,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"reboots":1,"updated":4,"wanted":4}
    revision: 6
    state: "running"
    troubles: []
    waits: []

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    rebootBegun: (none)
    rebootServed: (none)
    starting: (none)

  ~ /default/Job/ID/00000000000000000006/status
    ended: 1760000061000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}
    state: "done"

=== all
361.000 s

=== the change: taken
  + /default/Pass/ID/000000000004
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 4 1 1760000361000 ; 
    next: 5
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    pass: 4
    rebootBegun: 360001
    rebootBy: "ana"
    rebootNumber: 2
    rebootServed: true
    rebooted: 360001
    starting: true
  ~ /default/Cluster/ID/status
    observed: 10
  + /default/Job/ID/00000000000000000010/status
    begun: 1760000361000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"reboots":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"reboots":4,"updated":4,"wanted":4}
    revision: 10
    state: "running"
    troubles: []
    waits: []

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    rebootBegun: (none)
    rebootServed: (none)
    starting: (none)

  + /default/Pass/ID/000000000005
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 5 1 1760000361000 ; 
    next: 6
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    pass: 5
    rebootBegun: 360001
    rebootNumber: 2
    rebootServed: true
    rebooted: 360001
    starting: true
  ~ /default/Job/ID/00000000000000000010/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"reboots":3,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"reboots":3,"updated":4,"wanted":4}

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    rebootBegun: (none)
    rebootServed: (none)
    starting: (none)

  + /default/Pass/ID/000000000006
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 6 1 1760000361000 ; 
    next: 7
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    pass: 6
    rebootBegun: 360001
    rebootBy: "ana"
    rebootNumber: 2
    rebootServed: true
    rebooted: 360001
    starting: true
  ~ /default/Job/ID/00000000000000000010/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"reboots":2,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"reboots":2,"updated":4,"wanted":4}

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    rebootBegun: (none)
    rebootServed: (none)
    starting: (none)

  + /default/Pass/ID/000000000007
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 7 1 1760000361000 ; 
    next: 8
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    pass: 7
    rebootBegun: 360001
    rebootBy: "ana"
    rebootNumber: 2
    rebootServed: true
    rebooted: 360001
    starting: true
  ~ /default/Job/ID/00000000000000000010/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"reboots":1,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"reboots":1,"updated":4,"wanted":4}

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    rebootBegun: (none)
    rebootServed: (none)
    starting: (none)

  ~ /default/Job/ID/00000000000000000010/status
    ended: 1760000361000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}
    state: "done"

363.000 s

  + /default/Pass/ID/000000000008
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 8 1 1760000363000 ; 
    next: 9
  + /default/Hold/ID/paused/web/status
    advice: "resume it when it may go on"
    cluster: "shop"
    fact: "watching goes on"
    group: "web"
    pass: 8
    rule: "paused"
    since: 1760000363000
    why: "it is paused"
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1

423.000 s

  + /default/Pass/ID/000000000009
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 9 1 1760000423000 ; 
    next: 10
  - /default/Hold/ID/paused/web/status
  ~ /default/Cluster/ID/status
    holds: 0

=== one is replaced by request
1623.000 s

=== the change: taken
  + /default/Pass/ID/000000000010
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 10 1 1760001623000 ; 
    next: 11
  ~ /default/Control/ID/status
    series: {"fbae27432718":[5,1,1622001]}
  + /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    created: 1622001
    generation: "58c2d4f2b51c301b"
    group: "web"
    labels: "-"
    life: "30313233343536373839616263646566"
    made: 1760001623000
    name: "web-2"
    pass: 10
    plugin: "sim"
    reason: "replace"
    slot: 2
    state: "create"
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    generation: "58c2d4f2b51c301b+replace"
    outdated: true
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":1,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
    observed: 24
  + /default/Job/ID/00000000000000000024/status
    begun: 1760001623000
    by: "ana"
    cluster: "shop"
    groups: [{"batch":1,"canary":0,"creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":4}
    revision: 24
    state: "running"
    troubles: []
    waits: []

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true
    id: "sim-5"

1625.000 s
  + /default/Pass/ID/000000000011
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 11 1 1760001625000 ; 
    next: 12
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    active: 1624001
    pass: 11
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":1,"ready":5,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000024/status
    groups: [{"batch":1,"canary":0,"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":1,"outdated":1,"ready":5,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":1,"outdated":1,"ready":5,"updated":4,"wanted":4}

1625.500 s
  + /default/Pass/ID/000000000012
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 12 1 1760001625500 ; 
    next: 13
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    condemned: 1624501
    pass: 12
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":1,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000024/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":1,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":1,"old":0,"ready":4,"updated":4,"wanted":4}

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true

  + /default/Pass/ID/000000000013
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 13 1 1760001625500 ; 
    next: 14
  - /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000024/status
    ended: 1760001625500
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}
    state: "done"

=== two reboots that are dropped again
2223.000 s


=== the change: taken
  + /default/Pass/ID/000000000014
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 14 1 1760002223000 ; 
    next: 15
  + /default/Hold/ID/paused/web/status
    advice: "resume it when it may go on"
    cluster: "shop"
    fact: "watching goes on"
    group: "web"
    pass: 14
    rule: "paused"
    since: 1760002223000
    why: "it is paused"
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1
    observed: 32
  + /default/Job/ID/00000000000000000032/status
    begun: 1760002223000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"reboots":2,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"reboots":2,"updated":4,"wanted":4}
    revision: 32
    state: "paused"
    troubles: []
    waits: ["web:paused"]

2283.000 s

=== the change: taken

  + /default/Pass/ID/000000000015
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 15 1 1760002283000 ; 
    next: 16
  - /default/Hold/ID/paused/web/status
  ~ /default/Cluster/ID/status
    holds: 0
    observed: 34
  ~ /default/Job/ID/00000000000000000032/status
    ended: 1760002283000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}
    state: "done"
    waits: []

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
{"actor":"reeve","fact":"sim-1 runs","group":"web","id":"sim-1","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":2,"rule":"activate","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.ready"}
{"actor":"reeve","fact":"sim-2 runs","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":2,"rule":"activate","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.ready"}
{"actor":"reeve","fact":"sim-3 runs","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":2,"rule":"activate","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.ready"}
{"actor":"reeve","fact":"sim-4 runs","group":"web","id":"sim-4","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":2,"rule":"activate","slot":3,"token":"fbae27432718000000047fa3cb7da0a8","type":"machine.ready"}
{"actor":"reeve","fact":"job/1","kind":"Cluster","name":"shop","object":"ID","type":"job.done"}
{"actor":"ana","fact":"to be rebooted: web-1","groups":["web"],"kind":"Cluster","name":"shop","object":"ID","sums":{"change":0,"create":0,"destroy":0,"groups":1,"nodes":4,"reboot":1,"replace":0},"type":"cluster.changed"}
{"actor":"reeve","fact":"reboot, asked by ana","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":3,"rule":"reboot_asked","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.rebooting"}
{"actor":"reeve","fact":"job/6","kind":"Cluster","name":"shop","object":"ID","type":"job.began"}
{"actor":"reeve","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":3,"rule":"free_slot","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.rebooted"}
{"actor":"reeve","fact":"job/6","kind":"Cluster","name":"shop","object":"ID","type":"job.done"}
{"actor":"ana","fact":"to be rebooted: web-[0-3]","groups":["web"],"kind":"Cluster","name":"shop","object":"ID","sums":{"change":0,"create":0,"destroy":0,"groups":1,"nodes":4,"reboot":4,"replace":0},"type":"cluster.changed"}
{"actor":"reeve","fact":"reboot, asked by ana","group":"web","id":"sim-1","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":4,"rule":"reboot_asked","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.rebooting"}
{"actor":"reeve","fact":"job/10","kind":"Cluster","name":"shop","object":"ID","type":"job.began"}
{"actor":"reeve","group":"web","id":"sim-1","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":4,"rule":"free_slot","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.rebooted"}
{"actor":"reeve","fact":"reboot, asked by ana","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":5,"rule":"reboot_asked","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.rebooting"}
{"actor":"reeve","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":5,"rule":"free_slot","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.rebooted"}
{"actor":"reeve","fact":"reboot, asked by ana","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":6,"rule":"reboot_asked","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.rebooting"}
{"actor":"reeve","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":6,"rule":"free_slot","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.rebooted"}
{"actor":"reeve","fact":"reboot, asked by ana","group":"web","id":"sim-4","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":7,"rule":"reboot_asked","slot":3,"token":"fbae27432718000000047fa3cb7da0a8","type":"machine.rebooting"}
{"actor":"reeve","group":"web","id":"sim-4","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":7,"rule":"free_slot","slot":3,"token":"fbae27432718000000047fa3cb7da0a8","type":"machine.rebooted"}
{"actor":"reeve","fact":"job/10","kind":"Cluster","name":"shop","object":"ID","type":"job.done"}
{"actor":"ana","kind":"Cluster","name":"shop","object":"ID","type":"cluster.paused"}
{"actor":"reeve","fact":"watching goes on","group":"web","kind":"Cluster","name":"shop","object":"ID","pass":8,"rule":"paused","type":"hold.began"}
{"actor":"ana","kind":"Cluster","name":"shop","object":"ID","type":"cluster.resumed"}
{"actor":"reeve","group":"web","kind":"Cluster","name":"shop","object":"ID","pass":9,"rule":"paused","type":"hold.ended"}
{"actor":"ana","fact":"to be replaced: web-2","groups":["web"],"kind":"Cluster","name":"shop","object":"ID","sums":{"change":0,"create":0,"destroy":0,"groups":1,"nodes":4,"reboot":0,"replace":1},"type":"cluster.changed"}
{"actor":"reeve","fact":"in place of sim-3","group":"web","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":10,"rule":"replace","slot":2,"token":"fbae27432718000000052c80c771e46a","type":"machine.wanted"}
{"actor":"reeve","fact":"job/24","kind":"Cluster","name":"shop","object":"ID","type":"job.began"}
{"actor":"reeve","group":"web","id":"sim-5","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":10,"rule":"replace","slot":2,"token":"fbae27432718000000052c80c771e46a","type":"machine.made"}
{"actor":"reeve","fact":"sim-5 runs","group":"web","id":"sim-5","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":11,"rule":"activate","slot":2,"token":"fbae27432718000000052c80c771e46a","type":"machine.ready"}
{"actor":"reeve","fact":"sim-5 serves","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":12,"rule":"rolled","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.condemned"}
{"actor":"reeve","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":12,"rule":"rolled","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.ended"}
{"actor":"reeve","fact":"the provider has said that it is done","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":13,"rule":"forget","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.gone"}
{"actor":"reeve","fact":"job/24","kind":"Cluster","name":"shop","object":"ID","type":"job.done"}
{"actor":"ana","kind":"Cluster","name":"shop","object":"ID","type":"cluster.paused"}
{"actor":"ana","fact":"to be rebooted: web-[0-1]","groups":["web"],"kind":"Cluster","name":"shop","object":"ID","sums":{"change":0,"create":0,"destroy":0,"groups":1,"nodes":4,"reboot":2,"replace":0},"type":"cluster.changed"}
{"actor":"reeve","fact":"watching goes on","group":"web","kind":"Cluster","name":"shop","object":"ID","pass":14,"rule":"paused","type":"hold.began"}
{"actor":"reeve","fact":"job/32","kind":"Cluster","name":"shop","object":"ID","type":"job.began"}
{"actor":"ana","fact":"reboots that have not begun are dropped","groups":["web"],"kind":"Cluster","name":"shop","object":"ID","sums":{"change":0,"create":0,"destroy":0,"groups":1,"nodes":4,"reboot":0,"replace":0},"type":"cluster.changed"}
{"actor":"ana","kind":"Cluster","name":"shop","object":"ID","type":"cluster.resumed"}
{"actor":"reeve","group":"web","kind":"Cluster","name":"shop","object":"ID","pass":15,"rule":"paused","type":"hold.ended"}
{"actor":"reeve","fact":"job/32","kind":"Cluster","name":"shop","object":"ID","type":"job.done"}
