=== three machines are requested
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

=== one more
61.000 s

  + /default/Pass/ID/000000000003
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 3 1 1760000061000 ; 
    next: 4
  ~ /default/Control/ID/status
    series: {"fbae27432718":[4,1,60001]}
  + /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    created: 60001
    generation: "58c2d4f2b51c301b"
    group: "web"
    labels: "-"
    life: "30313233343536373839616263646566"
    made: 1760000061000
    name: "web-3"
    pass: 3
    plugin: "sim"
    reason: "free_slot"
    slot: 3
    state: "create"
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":4}
    observed: 6
  + /default/Job/ID/00000000000000000006/status
    begun: 1760000061000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":3,"updated":3,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":4}
    revision: 6
    state: "running"
    troubles: []
    waits: []

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true
    id: "sim-4"

63.000 s
  + /default/Pass/ID/000000000004
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 4 1 1760000063000 ; 
    next: 5
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    active: 62001
    pass: 4
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    ended: 1760000063000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}
    state: "done"

=== two less
121.000 s

  + /default/Pass/ID/000000000005
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 5 1 1760000121000 ; 
    next: 6
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    condemned: 120001
    pass: 5
    reason: "scale_in"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    condemned: 120001
    pass: 5
    reason: "scale_in"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":2,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":2}
    observed: 10
  + /default/Job/ID/00000000000000000010/status
    begun: 1760000121000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":2,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":2,"old":0,"ready":2,"updated":2,"wanted":2}
    revision: 10
    state: "running"
    troubles: []
    waits: []

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true

  + /default/Pass/ID/000000000006
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 6 1 1760000121000 ; 
    next: 7
  - /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
  - /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":2}
  ~ /default/Job/ID/00000000000000000010/status
    ended: 1760000121000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}
    state: "done"

=== the cluster is deleted
241.000 s
  - /default/Cluster/ID/status

  + /default/Pass/ID/000000000007
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 7 1 1760000241000 ; 
    next: 8
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    condemned: 240001
    pass: 7
    reason: "scale_in"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    condemned: 240001
    pass: 7
    reason: "scale_in"
    state: "delete"
    answered: (none)
  + /default/Job/ID/00000000000000000014/status
    begun: 1760000241000
    cluster: "shop"
    groups: [{"creating":0,"generations":[],"group":"web","leaving":2,"old":0,"ready":0,"updated":0,"wanted":0}]
    machines: {"creating":0,"leaving":2,"old":0,"ready":0,"updated":0,"wanted":0}
    revision: 14
    state: "running"
    troubles: []
    waits: []

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true

  + /default/Pass/ID/000000000008
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 8 1 1760000241000 ; 
    next: 9
  - /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
  - /default/Resource/ID/fbae2743271800000002de820479c4a8/status
  ~ /default/Job/ID/00000000000000000014/status
    ended: 1760000241000
    groups: []
    machines: {"creating":0,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":0}
    state: "done"

246.000 s
  - /default/Control/ID/status

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
{"actor":"ana","groups":["web"],"kind":"Cluster","name":"shop","object":"ID","sums":{"change":0,"create":1,"destroy":0,"groups":1,"nodes":4,"reboot":0,"replace":0},"type":"cluster.changed"}
{"actor":"reeve","fact":"size is 4, 3 recorded","group":"web","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":3,"rule":"free_slot","slot":3,"token":"fbae27432718000000047fa3cb7da0a8","type":"machine.wanted"}
{"actor":"reeve","fact":"job/6","kind":"Cluster","name":"shop","object":"ID","type":"job.began"}
{"actor":"reeve","group":"web","id":"sim-4","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":3,"rule":"free_slot","slot":3,"token":"fbae27432718000000047fa3cb7da0a8","type":"machine.made"}
{"actor":"reeve","fact":"sim-4 runs","group":"web","id":"sim-4","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":4,"rule":"activate","slot":3,"token":"fbae27432718000000047fa3cb7da0a8","type":"machine.ready"}
{"actor":"reeve","fact":"job/6","kind":"Cluster","name":"shop","object":"ID","type":"job.done"}
{"actor":"ana","groups":["web"],"kind":"Cluster","name":"shop","object":"ID","sums":{"change":0,"create":0,"destroy":2,"groups":1,"nodes":2,"reboot":0,"replace":0},"type":"cluster.changed"}
{"actor":"reeve","fact":"size is 2","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":5,"rule":"scale_in","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.condemned"}
{"actor":"reeve","fact":"size is 2","group":"web","id":"sim-4","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":5,"rule":"scale_in","slot":3,"token":"fbae27432718000000047fa3cb7da0a8","type":"machine.condemned"}
{"actor":"reeve","fact":"job/10","kind":"Cluster","name":"shop","object":"ID","type":"job.began"}
{"actor":"reeve","group":"web","id":"sim-4","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":5,"rule":"scale_in","slot":3,"token":"fbae27432718000000047fa3cb7da0a8","type":"machine.ended"}
{"actor":"reeve","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":5,"rule":"scale_in","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.ended"}
{"actor":"reeve","fact":"the provider has said that it is done","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":6,"rule":"forget","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.gone"}
{"actor":"reeve","fact":"the provider has said that it is done","group":"web","id":"sim-4","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":6,"rule":"forget","slot":3,"token":"fbae27432718000000047fa3cb7da0a8","type":"machine.gone"}
{"actor":"reeve","fact":"job/10","kind":"Cluster","name":"shop","object":"ID","type":"job.done"}
{"actor":"ana","groups":["web"],"kind":"Cluster","name":"shop","object":"ID","sums":{"change":0,"create":0,"destroy":2,"groups":0,"nodes":0,"reboot":0,"replace":0},"type":"cluster.deleted"}
{"actor":"reeve","fact":"size is 0","group":"web","id":"sim-1","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":7,"rule":"scale_in","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.condemned"}
{"actor":"reeve","fact":"size is 0","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":7,"rule":"scale_in","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.condemned"}
{"actor":"reeve","fact":"job/14","kind":"Cluster","name":"shop","object":"ID","type":"job.began"}
{"actor":"reeve","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":7,"rule":"scale_in","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.ended"}
{"actor":"reeve","group":"web","id":"sim-1","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":7,"rule":"scale_in","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.ended"}
{"actor":"reeve","fact":"the provider has said that it is done","group":"web","id":"sim-1","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":8,"rule":"forget","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.gone"}
{"actor":"reeve","fact":"the provider has said that it is done","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":8,"rule":"forget","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.gone"}
{"actor":"reeve","fact":"job/14","kind":"Cluster","name":"shop","object":"ID","type":"job.done"}
