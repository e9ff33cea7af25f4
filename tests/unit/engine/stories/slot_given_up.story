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
    series: {"fbae27432718":[1,1,1]}
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
  + /default/Cluster/ID/status
    holds: 0
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":1}
    observed: 1
  + /default/Job/ID/00000000000000000001/status
    begun: 1760000001000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":1,"generations":["58c2d4f2b51c301b","181b5d71cfc4a858"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1}]
    machines: {"creating":1,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":1}
    revision: 1
    state: "running"
    troubles: []
    waits: []

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true
    id: "sim-1"

2.000 s
  + /default/Control/ID/web/status
    said: {"fbae27432718000000014bd8c442c5f8":[1,1001,1001,"stopped"]}

7.102 s
  ~ /default/Control/ID/web/status
    said: {"fbae27432718000000014bd8c442c5f8":[2,1001,6103,"stopped"]}

  + /default/Pass/ID/000000000002
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 2 1 1760000007102 ; 
    next: 3
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    condemned: 6103
    failures: 1
    losses: 1
    pass: 2
    reason: "failed"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":1}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b","181b5d71cfc4a858"],"group":"web","leaving":1,"old":0,"ready":0,"updated":0,"wanted":1}]
    machines: {"creating":0,"leaving":1,"old":0,"ready":0,"updated":0,"wanted":1}

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true

  + /default/Pass/ID/000000000003
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 3 1 1760000007102 ; 
    next: 4
  ~ /default/Control/ID/status
    series: {"fbae27432718":[2,1,6103]}
  + /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    created: 6103
    failures: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    labels: "-"
    life: "30313233343536373839616263646566"
    losses: 1
    made: 1760000007102
    name: "web-0"
    pass: 3
    plugin: "sim"
    reason: "free_slot"
    slot: 0
    state: "create"
  - /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":1}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"creating":1,"generations":["58c2d4f2b51c301b","181b5d71cfc4a858"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1}]
    machines: {"creating":1,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":1}

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true
    id: "sim-2"

8.102 s
  ~ /default/Control/ID/web/status
    said: {"fbae27432718000000014bd8c442c5f8":[2,1001,6103,"stopped"],"fbae2743271800000002de820479c4a8":[1,7103,7103,"stopped"]}

13.204 s
  ~ /default/Control/ID/web/status
    said: {"fbae27432718000000014bd8c442c5f8":[2,1001,6103,"stopped"],"fbae2743271800000002de820479c4a8":[2,7103,12205,"stopped"]}

  + /default/Pass/ID/000000000004
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 4 1 1760000013204 ; 
    next: 5
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    condemned: 12205
    failures: 2
    losses: 2
    pass: 4
    reason: "failed"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":1}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b","181b5d71cfc4a858"],"group":"web","leaving":1,"old":0,"ready":0,"updated":0,"wanted":1}]
    machines: {"creating":0,"leaving":1,"old":0,"ready":0,"updated":0,"wanted":1}

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true

  + /default/Pass/ID/000000000005
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 5 1 1760000013204 ; 
    next: 6
  ~ /default/Control/ID/status
    series: {"fbae27432718":[3,1,12205]}
  + /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    created: 12205
    failures: 2
    generation: "58c2d4f2b51c301b"
    group: "web"
    labels: "-"
    life: "30313233343536373839616263646566"
    losses: 2
    made: 1760000013204
    name: "web-0"
    pass: 5
    plugin: "sim"
    reason: "free_slot"
    slot: 0
    state: "create"
  - /default/Resource/ID/fbae2743271800000002de820479c4a8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":1}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"creating":1,"generations":["58c2d4f2b51c301b","181b5d71cfc4a858"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1}]
    machines: {"creating":1,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":1}

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true
    id: "sim-3"

14.204 s
  ~ /default/Control/ID/web/status
    said: {"fbae27432718000000014bd8c442c5f8":[2,1001,6103,"stopped"],"fbae2743271800000002de820479c4a8":[2,7103,12205,"stopped"],"fbae27432718000000034981fbfa71b6":[1,13205,13205,"stopped"]}

19.306 s
  ~ /default/Control/ID/web/status
    said: {"fbae27432718000000014bd8c442c5f8":[2,1001,6103,"stopped"],"fbae2743271800000002de820479c4a8":[2,7103,12205,"stopped"],"fbae27432718000000034981fbfa71b6":[2,13205,18307,"stopped"]}

  + /default/Pass/ID/000000000006
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 6 1 1760000019306 ; 
    next: 7
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    condemned: 18307
    failures: 3
    losses: 3
    pass: 6
    reason: "failed"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":1}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b","181b5d71cfc4a858"],"group":"web","leaving":1,"old":0,"ready":0,"updated":0,"wanted":1}]
    machines: {"creating":0,"leaving":1,"old":0,"ready":0,"updated":0,"wanted":1}

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true

  + /default/Pass/ID/000000000007
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 7 1 1760000019306 ; 
    next: 8
  + /default/Hold/ID/terminated/web/status
    advice: "see why it failed, then change the specification, or say retry"
    cluster: "shop"
    fact: "1 slot: each has cost 3 machines or more"
    group: "web"
    pass: 7
    rule: "terminated"
    since: 1760000019306
    why: "making it has failed too often: it waits for a change, for `retry`, or for its time"
    wouldCreate: 1
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1
  ~ /default/Job/ID/00000000000000000001/status
    waits: ["web:terminated"]

=== machines run again
3619.306 s
  + /default/Pass/ID/000000000008
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 8 1 1760003619306 ; 
    next: 9
  ~ /default/Control/ID/status
    series: {"fbae27432718":[4,1,3618307]}
  + /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    created: 3618307
    failures: 3
    generation: "58c2d4f2b51c301b"
    group: "web"
    labels: "-"
    life: "30313233343536373839616263646566"
    losses: 3
    made: 1760003619306
    name: "web-0"
    pass: 8
    plugin: "sim"
    reason: "free_slot"
    slot: 0
    state: "create"
  - /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
  - /default/Hold/ID/terminated/web/status
  ~ /default/Cluster/ID/status
    holds: 0
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":1}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"creating":1,"generations":["58c2d4f2b51c301b","181b5d71cfc4a858"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1}]
    machines: {"creating":1,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":1}
    waits: []

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true
    id: "sim-4"

3621.306 s
  + /default/Pass/ID/000000000009
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 9 1 1760003621306 ; 
    next: 10
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    active: 3620307
    pass: 9
    state: "active"
    failures: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":1,"unhealthy":0,"unreachable":0,"wanted":1}
  ~ /default/Job/ID/00000000000000000001/status
    ended: 1760003621306
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b","181b5d71cfc4a858"],"group":"web","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":1,"updated":1,"wanted":1}
    state: "done"

=== events

{"actor":"ana","groups":["web"],"kind":"Cluster","name":"shop","object":"ID","sums":{"change":0,"create":1,"destroy":0,"groups":1,"nodes":1,"reboot":0,"replace":0},"type":"cluster.created"}
{"actor":"reeve","fact":"size is 1, 0 recorded","group":"web","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":1,"rule":"free_slot","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.wanted"}
{"actor":"reeve","fact":"job/1","kind":"Cluster","name":"shop","object":"ID","type":"job.began"}
{"actor":"reeve","group":"web","id":"sim-1","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":1,"rule":"free_slot","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.made"}
{"actor":"reeve","fact":"2 answers agree","group":"web","id":"sim-1","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":2,"rule":"failed","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.condemned"}
{"actor":"reeve","group":"web","id":"sim-1","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":2,"rule":"failed","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.ended"}
{"actor":"reeve","fact":"size is 1, 0 recorded","group":"web","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":3,"rule":"free_slot","slot":0,"token":"fbae2743271800000002de820479c4a8","type":"machine.wanted"}
{"actor":"reeve","fact":"the provider has said that it is done","group":"web","id":"sim-1","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":3,"rule":"forget","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.gone"}
{"actor":"reeve","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":3,"rule":"free_slot","slot":0,"token":"fbae2743271800000002de820479c4a8","type":"machine.made"}
{"actor":"reeve","fact":"2 answers agree","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":4,"rule":"failed","slot":0,"token":"fbae2743271800000002de820479c4a8","type":"machine.condemned"}
{"actor":"reeve","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":4,"rule":"failed","slot":0,"token":"fbae2743271800000002de820479c4a8","type":"machine.ended"}
{"actor":"reeve","fact":"size is 1, 0 recorded","group":"web","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":5,"rule":"free_slot","slot":0,"token":"fbae27432718000000034981fbfa71b6","type":"machine.wanted"}
{"actor":"reeve","fact":"the provider has said that it is done","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":5,"rule":"forget","slot":0,"token":"fbae2743271800000002de820479c4a8","type":"machine.gone"}
{"actor":"reeve","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":5,"rule":"free_slot","slot":0,"token":"fbae27432718000000034981fbfa71b6","type":"machine.made"}
{"actor":"reeve","fact":"2 answers agree","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":6,"rule":"failed","slot":0,"token":"fbae27432718000000034981fbfa71b6","type":"machine.condemned"}
{"actor":"reeve","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":6,"rule":"failed","slot":0,"token":"fbae27432718000000034981fbfa71b6","type":"machine.ended"}
{"actor":"reeve","fact":"1 slot: each has cost 3 machines or more","group":"web","kind":"Cluster","name":"shop","object":"ID","pass":7,"rule":"terminated","type":"hold.began"}
{"actor":"reeve","fact":"size is 1, 0 recorded","group":"web","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":8,"rule":"free_slot","slot":0,"token":"fbae27432718000000047fa3cb7da0a8","type":"machine.wanted"}
{"actor":"reeve","fact":"the provider has said that it is done","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":8,"rule":"forget","slot":0,"token":"fbae27432718000000034981fbfa71b6","type":"machine.gone"}
{"actor":"reeve","group":"web","kind":"Cluster","name":"shop","object":"ID","pass":8,"rule":"terminated","type":"hold.ended"}
{"actor":"reeve","group":"web","id":"sim-4","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":8,"rule":"free_slot","slot":0,"token":"fbae27432718000000047fa3cb7da0a8","type":"machine.made"}
{"actor":"reeve","fact":"sim-4 runs","group":"web","id":"sim-4","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":9,"rule":"activate","slot":0,"token":"fbae27432718000000047fa3cb7da0a8","type":"machine.ready"}
{"actor":"reeve","fact":"job/1","kind":"Cluster","name":"shop","object":"ID","type":"job.done"}
