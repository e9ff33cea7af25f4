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
    series: {"fbae27432718":[3,1,1]}
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
  + /default/Cluster/ID/status
    holds: 0
    machines: {"creating":3,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":3}
    observed: 1
  + /default/Job/ID/00000000000000000001/status
    begun: 1760000001000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":3,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":3}]
    machines: {"creating":3,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":3}
    revision: 1
    state: "running"
    troubles: []
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
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000001/status
    ended: 1760000003000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}
    state: "done"

=== the provider refuses every end of a machine
61.000 s

  + /default/Pass/ID/000000000003
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 3 1 1760000061000 ; 
    next: 4
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    condemned: 60001
    pass: 3
    reason: "scale_in"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    condemned: 60001
    pass: 3
    reason: "scale_in"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":2,"outdated":0,"ready":1,"unhealthy":0,"unreachable":0,"wanted":1}
    observed: 6
  + /default/Job/ID/00000000000000000006/status
    begun: 1760000061000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":2,"old":0,"ready":1,"updated":1,"wanted":1}]
    machines: {"creating":0,"leaving":2,"old":0,"ready":1,"updated":1,"wanted":1}
    revision: 6
    state: "running"
    troubles: []
    waits: []

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    callAfter: 60746
    fault: "transient"
    tries: 1
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    callAfter: 60751
    fault: "transient"
    tries: 1

91.000 s
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    callAfter: 91418
    tries: 2
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    callAfter: 91984
    tries: 2

121.000 s
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    callAfter: 122454
    tries: 3
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    callAfter: 122940
    tries: 3

151.000 s
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    callAfter: 155118
    tries: 4
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    callAfter: 157412
    tries: 4

181.000 s
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    callAfter: 194124
    tries: 5
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    callAfter: 193153
    tries: 5

211.000 s
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    callAfter: 236155
    tries: 6
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    callAfter: 235353
    tries: 6

241.000 s
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    callAfter: 282362
    tries: 7
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    callAfter: 299406
    tries: 7

301.000 s
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    callAfter: 414185
    tries: 8
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    callAfter: 383393
    tries: 8

391.000 s
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    callAfter: 611373
    tries: 9

421.000 s
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    callAfter: 553085
    tries: 9

571.000 s
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    callAfter: 846941
    tries: 10

631.000 s
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    callAfter: 781705
    tries: 10

811.000 s
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    callAfter: 1020612
    tries: 11

871.000 s
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    callAfter: 1084768
    tries: 11

1051.000 s
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    callAfter: 1212582
    tries: 12

1111.000 s
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    callAfter: 1309265
    tries: 12

1231.000 s
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    callAfter: 1410734
    tries: 13

1261.000 s
  + /default/Pass/ID/000000000004
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 4 1 1760001261000 ; 
    next: 5
  + /default/Hold/ID/stuck/web/status
    advice: "end it at the provider; reeve goes on trying"
    cluster: "shop"
    fact: "2 machines, sim-2: no definite answer"
    group: "web"
    pass: 4
    rule: "stuck"
    since: 1760001261000
    why: "it was told to go, and has not gone in its time"
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1
  ~ /default/Job/ID/00000000000000000006/status
    waits: ["web:stuck"]

1321.000 s
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    callAfter: 1606412
    tries: 13

1441.000 s
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    callAfter: 1737410
    tries: 14

1621.000 s
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    callAfter: 1833592
    tries: 14

1741.000 s
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    callAfter: 1933196
    tries: 15

=== and not any more
1861.000 s
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true
    callAfter: (none)
    tries: (none)

  + /default/Pass/ID/000000000005
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 5 1 1760001861000 ; 
    next: 6
  - /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
  ~ /default/Hold/ID/stuck/web/status
    fact: "1 machine, sim-2: no definite answer"
    pass: 5
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":1,"unhealthy":0,"unreachable":0,"wanted":1}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":1,"old":0,"ready":1,"updated":1,"wanted":1}]
    machines: {"creating":0,"leaving":1,"old":0,"ready":1,"updated":1,"wanted":1}

1956.000 s
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true
    callAfter: (none)
    tries: (none)

  + /default/Pass/ID/000000000006
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 6 1 1760001956000 ; 
    next: 7
  - /default/Resource/ID/fbae2743271800000002de820479c4a8/status
  - /default/Hold/ID/stuck/web/status
  ~ /default/Cluster/ID/status
    holds: 0
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":1,"unhealthy":0,"unreachable":0,"wanted":1}
  ~ /default/Job/ID/00000000000000000006/status
    ended: 1760001956000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":1,"updated":1,"wanted":1}
    state: "done"
    waits: []

=== events

{"actor":"ana","groups":["web"],"kind":"Cluster","name":"shop","object":"ID","sums":{"change":0,"create":3,"destroy":0,"groups":1,"nodes":3,"reboot":0,"replace":0},"type":"cluster.created"}
{"actor":"reeve","fact":"size is 3, 0 recorded","group":"web","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":1,"rule":"free_slot","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.wanted"}
{"actor":"reeve","fact":"size is 3, 0 recorded","group":"web","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":1,"rule":"free_slot","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.wanted"}
{"actor":"reeve","fact":"size is 3, 0 recorded","group":"web","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":1,"rule":"free_slot","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.wanted"}
{"actor":"reeve","fact":"job/1","kind":"Cluster","name":"shop","object":"ID","type":"job.began"}
{"actor":"reeve","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":1,"rule":"free_slot","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.made"}
{"actor":"reeve","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":1,"rule":"free_slot","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.made"}
{"actor":"reeve","group":"web","id":"sim-1","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":1,"rule":"free_slot","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.made"}
{"actor":"reeve","fact":"sim-1 runs","group":"web","id":"sim-1","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":2,"rule":"activate","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.ready"}
{"actor":"reeve","fact":"sim-2 runs","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":2,"rule":"activate","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.ready"}
{"actor":"reeve","fact":"sim-3 runs","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":2,"rule":"activate","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.ready"}
{"actor":"reeve","fact":"job/1","kind":"Cluster","name":"shop","object":"ID","type":"job.done"}
{"actor":"ana","groups":["web"],"kind":"Cluster","name":"shop","object":"ID","sums":{"change":0,"create":0,"destroy":2,"groups":1,"nodes":1,"reboot":0,"replace":0},"type":"cluster.changed"}
{"actor":"reeve","fact":"size is 1","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":3,"rule":"scale_in","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.condemned"}
{"actor":"reeve","fact":"size is 1","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":3,"rule":"scale_in","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.condemned"}
{"actor":"reeve","fact":"job/6","kind":"Cluster","name":"shop","object":"ID","type":"job.began"}
{"actor":"reeve","fact":"transient","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":3,"rule":"scale_in","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.kept"}
{"actor":"reeve","fact":"transient","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":3,"rule":"scale_in","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.kept"}
{"actor":"reeve","fact":"transient","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":3,"rule":"scale_in","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.kept"}
{"actor":"reeve","fact":"transient","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":3,"rule":"scale_in","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.kept"}
{"actor":"reeve","fact":"transient","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":3,"rule":"scale_in","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.kept"}
{"actor":"reeve","fact":"transient","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":3,"rule":"scale_in","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.kept"}
{"actor":"reeve","fact":"transient","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":3,"rule":"scale_in","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.kept"}
{"actor":"reeve","fact":"transient","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":3,"rule":"scale_in","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.kept"}
{"actor":"reeve","fact":"transient","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":3,"rule":"scale_in","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.kept"}
{"actor":"reeve","fact":"transient","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":3,"rule":"scale_in","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.kept"}
{"actor":"reeve","fact":"transient","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":3,"rule":"scale_in","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.kept"}
{"actor":"reeve","fact":"transient","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":3,"rule":"scale_in","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.kept"}
{"actor":"reeve","fact":"transient","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":3,"rule":"scale_in","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.kept"}
{"actor":"reeve","fact":"transient","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":3,"rule":"scale_in","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.kept"}
{"actor":"reeve","fact":"transient","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":3,"rule":"scale_in","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.kept"}
{"actor":"reeve","fact":"transient","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":3,"rule":"scale_in","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.kept"}
{"actor":"reeve","fact":"transient","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":3,"rule":"scale_in","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.kept"}
{"actor":"reeve","fact":"transient","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":3,"rule":"scale_in","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.kept"}
{"actor":"reeve","fact":"transient","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":3,"rule":"scale_in","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.kept"}
{"actor":"reeve","fact":"transient","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":3,"rule":"scale_in","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.kept"}
{"actor":"reeve","fact":"transient","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":3,"rule":"scale_in","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.kept"}
{"actor":"reeve","fact":"transient","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":3,"rule":"scale_in","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.kept"}
{"actor":"reeve","fact":"transient","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":3,"rule":"scale_in","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.kept"}
{"actor":"reeve","fact":"transient","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":3,"rule":"scale_in","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.kept"}
{"actor":"reeve","fact":"transient","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":3,"rule":"scale_in","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.kept"}
{"actor":"reeve","fact":"2 machines, sim-2: no definite answer","group":"web","kind":"Cluster","name":"shop","object":"ID","pass":4,"rule":"stuck","type":"hold.began"}
{"actor":"reeve","fact":"transient","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":3,"rule":"scale_in","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.kept"}
{"actor":"reeve","fact":"transient","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":3,"rule":"scale_in","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.kept"}
{"actor":"reeve","fact":"transient","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":3,"rule":"scale_in","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.kept"}
{"actor":"reeve","fact":"transient","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":3,"rule":"scale_in","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.kept"}
{"actor":"reeve","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":3,"rule":"scale_in","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.ended"}
{"actor":"reeve","fact":"the provider has said that it is done","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":5,"rule":"forget","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.gone"}
{"actor":"reeve","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":3,"rule":"scale_in","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.ended"}
{"actor":"reeve","fact":"the provider has said that it is done","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":6,"rule":"forget","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.gone"}
{"actor":"reeve","group":"web","kind":"Cluster","name":"shop","object":"ID","pass":6,"rule":"stuck","type":"hold.ended"}
{"actor":"reeve","fact":"job/6","kind":"Cluster","name":"shop","object":"ID","type":"job.done"}
