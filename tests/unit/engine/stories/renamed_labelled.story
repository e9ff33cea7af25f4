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
    group: "db"
    labels: "-"
    life: "30313233343536373839616263646566"
    made: 1760000001000
    name: "db-0"
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
    name: "web-0"
    pass: 1
    plugin: "sim"
    reason: "free_slot"
    slot: 0
    state: "create"
  + /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
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
  + /default/Cluster/ID/status
    holds: 0
    machines: {"creating":3,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":3}
    observed: 1
  + /default/Job/ID/00000000000000000001/status
    begun: 1760000001000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":1,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1},{"creating":2,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":2}]
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
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}
    state: "done"

=== web becomes front, db has labels
61.000 s

  + /default/Pass/ID/000000000003
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 3 1 1760000061000 ; 
    next: 4
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    group: "front"
    pass: 3
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    group: "front"
    pass: 3
  ~ /default/Cluster/ID/status
    observed: 6
  + /default/Job/ID/00000000000000000006/status
    begun: 1760000061000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"front","leaving":0,"old":0,"ready":0,"updated":0,"wanted":2},{"batch":0,"canary":0,"creating":0,"generations":[],"group":"web","leaving":0,"old":2,"ready":2,"updated":2,"wanted":0}]
    machines: {"creating":0,"leaving":0,"old":2,"ready":3,"updated":3,"wanted":3}
    revision: 6
    state: "running"
    troubles: []
    waits: []

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    labels: "8bb1ea4915a56101"

  ~ /default/Job/ID/00000000000000000006/status
    ended: 1760000061000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"front","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}
    state: "done"

=== db goes
361.000 s

  + /default/Pass/ID/000000000004
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 4 1 1760000361000 ; 
    next: 5
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    condemned: 360001
    pass: 4
    reason: "scale_in"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":2}
    observed: 10
  + /default/Job/ID/00000000000000000010/status
    begun: 1760000361000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":[],"group":"db","leaving":1,"old":0,"ready":0,"updated":0,"wanted":0},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"front","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":1,"old":0,"ready":2,"updated":2,"wanted":2}
    revision: 10
    state: "running"
    troubles: []
    waits: []

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true

  + /default/Pass/ID/000000000005
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 5 1 1760000361000 ; 
    next: 6
  - /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":2}
  ~ /default/Job/ID/00000000000000000010/status
    ended: 1760000361000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"front","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}
    state: "done"

=== events

{"actor":"ana","groups":["db","web"],"kind":"Cluster","name":"shop","object":"ID","sums":{"change":0,"create":3,"destroy":0,"groups":2,"nodes":3,"reboot":0,"replace":0},"type":"cluster.created"}
{"actor":"reeve","fact":"size is 1, 0 recorded","group":"db","kind":"Cluster","name":"shop","node":"db-0","object":"ID","pass":1,"rule":"free_slot","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.wanted"}
{"actor":"reeve","fact":"size is 2, 0 recorded","group":"web","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":1,"rule":"free_slot","slot":0,"token":"fbae2743271800000002de820479c4a8","type":"machine.wanted"}
{"actor":"reeve","fact":"size is 2, 0 recorded","group":"web","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":1,"rule":"free_slot","slot":1,"token":"fbae27432718000000034981fbfa71b6","type":"machine.wanted"}
{"actor":"reeve","fact":"job/1","kind":"Cluster","name":"shop","object":"ID","type":"job.began"}
{"actor":"reeve","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":1,"rule":"free_slot","slot":1,"token":"fbae27432718000000034981fbfa71b6","type":"machine.made"}
{"actor":"reeve","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":1,"rule":"free_slot","slot":0,"token":"fbae2743271800000002de820479c4a8","type":"machine.made"}
{"actor":"reeve","group":"db","id":"sim-1","kind":"Cluster","name":"shop","node":"db-0","object":"ID","pass":1,"rule":"free_slot","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.made"}
{"actor":"reeve","fact":"sim-1 runs","group":"db","id":"sim-1","kind":"Cluster","name":"shop","node":"db-0","object":"ID","pass":2,"rule":"activate","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.ready"}
{"actor":"reeve","fact":"sim-2 runs","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":2,"rule":"activate","slot":0,"token":"fbae2743271800000002de820479c4a8","type":"machine.ready"}
{"actor":"reeve","fact":"sim-3 runs","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":2,"rule":"activate","slot":1,"token":"fbae27432718000000034981fbfa71b6","type":"machine.ready"}
{"actor":"reeve","fact":"job/1","kind":"Cluster","name":"shop","object":"ID","type":"job.done"}
{"actor":"ana","groups":["db","front"],"kind":"Cluster","name":"shop","object":"ID","sums":{"change":1,"create":0,"destroy":0,"groups":2,"nodes":3,"reboot":0,"replace":0},"type":"cluster.changed"}
{"actor":"reeve","fact":"it was web","group":"front","id":"sim-2","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":3,"rule":"renamed","slot":0,"token":"fbae2743271800000002de820479c4a8","type":"machine.moved"}
{"actor":"reeve","fact":"it was web","group":"front","id":"sim-3","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":3,"rule":"renamed","slot":1,"token":"fbae27432718000000034981fbfa71b6","type":"machine.moved"}
{"actor":"reeve","fact":"job/6","kind":"Cluster","name":"shop","object":"ID","type":"job.began"}
{"actor":"reeve","group":"db","id":"sim-1","kind":"Cluster","name":"shop","node":"db-0","object":"ID","pass":2,"rule":"free_slot","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.labelled"}
{"actor":"reeve","fact":"job/6","kind":"Cluster","name":"shop","object":"ID","type":"job.done"}
{"actor":"ana","groups":["front","db"],"kind":"Cluster","name":"shop","object":"ID","sums":{"change":0,"create":0,"destroy":1,"groups":1,"nodes":2,"reboot":0,"replace":0},"type":"cluster.changed"}
{"actor":"reeve","fact":"size is 0","group":"db","id":"sim-1","kind":"Cluster","name":"shop","node":"db-0","object":"ID","pass":4,"rule":"scale_in","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.condemned"}
{"actor":"reeve","fact":"job/10","kind":"Cluster","name":"shop","object":"ID","type":"job.began"}
{"actor":"reeve","group":"db","id":"sim-1","kind":"Cluster","name":"shop","node":"db-0","object":"ID","pass":4,"rule":"scale_in","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.ended"}
{"actor":"reeve","fact":"the provider has said that it is done","group":"db","id":"sim-1","kind":"Cluster","name":"shop","node":"db-0","object":"ID","pass":5,"rule":"forget","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.gone"}
{"actor":"reeve","fact":"job/10","kind":"Cluster","name":"shop","object":"ID","type":"job.done"}
