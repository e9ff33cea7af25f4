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
    series: {"fbae27432718":[6,1,1]}
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
    group: "db"
    labels: "-"
    life: "30313233343536373839616263646566"
    made: 1760000001000
    name: "db-1"
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
    name: "web-0"
    pass: 1
    plugin: "sim"
    reason: "free_slot"
    slot: 0
    state: "create"
  + /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
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
  + /default/Resource/ID/fbae27432718000000052c80c771e46a/status
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
  + /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
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
    machines: {"creating":6,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":6}
    observed: 1
  + /default/Job/ID/00000000000000000001/status
    begun: 1760000001000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":2,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":0,"updated":0,"wanted":2},{"creating":4,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":4}]
    machines: {"creating":6,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":6}
    revision: 1
    state: "running"
    troubles: []
    waits: []

  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    answered: true
    id: "sim-6"
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true
    id: "sim-5"
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
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    active: 2001
    pass: 2
    state: "active"
  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    active: 2001
    pass: 2
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":6,"unhealthy":0,"unreachable":0,"wanted":6}
  ~ /default/Job/ID/00000000000000000001/status
    ended: 1760000003000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":6,"updated":6,"wanted":6}
    state: "done"

=== web-0 is gone
63.500 s
  + /default/Control/ID/db/status
    absent: {"fbae27432718000000014bd8c442c5f8":[1,62501,62501]}

123.500 s
  ~ /default/Control/ID/db/status
    absent: {"fbae27432718000000014bd8c442c5f8":[2,62501,122501]}

153.500 s
  ~ /default/Control/ID/db/status
    said: {"fbae27432718000000014bd8c442c5f8":[1,152501,152501,"gone"]}

158.500 s
  ~ /default/Control/ID/db/status
    said: {"fbae27432718000000014bd8c442c5f8":[2,152501,157501,"gone"]}

163.500 s
  ~ /default/Control/ID/db/status
    said: {"fbae27432718000000014bd8c442c5f8":[3,152501,162501,"gone"]}

168.500 s
  ~ /default/Control/ID/db/status
    said: {"fbae27432718000000014bd8c442c5f8":[4,152501,167501,"gone"]}

173.500 s
  ~ /default/Control/ID/db/status
    said: {"fbae27432718000000014bd8c442c5f8":[5,152501,172501,"gone"]}

178.500 s
  ~ /default/Control/ID/db/status
    said: {"fbae27432718000000014bd8c442c5f8":[6,152501,177501,"gone"]}

183.500 s
  ~ /default/Control/ID/db/status
    absent: {"fbae27432718000000014bd8c442c5f8":[3,62501,182501]}

  ~ /default/Control/ID/db/status
    said: {"fbae27432718000000014bd8c442c5f8":[7,152501,182501,"gone"]}

188.500 s
  ~ /default/Control/ID/db/status
    said: {"fbae27432718000000014bd8c442c5f8":[8,152501,187501,"gone"]}

193.500 s
  ~ /default/Control/ID/db/status
    said: {"fbae27432718000000014bd8c442c5f8":[9,152501,192501,"gone"]}

198.500 s
  ~ /default/Control/ID/db/status
    said: {"fbae27432718000000014bd8c442c5f8":[10,152501,197501,"gone"]}

203.500 s
  ~ /default/Control/ID/db/status
    said: {"fbae27432718000000014bd8c442c5f8":[11,152501,202501,"gone"]}

208.500 s
  ~ /default/Control/ID/db/status
    said: {"fbae27432718000000014bd8c442c5f8":[12,152501,207501,"gone"]}

213.500 s
  ~ /default/Control/ID/db/status
    said: {"fbae27432718000000014bd8c442c5f8":[13,152501,212501,"gone"]}

218.500 s
  ~ /default/Control/ID/db/status
    said: {"fbae27432718000000014bd8c442c5f8":[14,152501,217501,"gone"]}

223.500 s
  ~ /default/Control/ID/db/status
    said: {"fbae27432718000000014bd8c442c5f8":[15,152501,222501,"gone"]}

228.500 s
  ~ /default/Control/ID/db/status
    said: {"fbae27432718000000014bd8c442c5f8":[16,152501,227501,"gone"]}

233.500 s
  ~ /default/Control/ID/db/status
    said: {"fbae27432718000000014bd8c442c5f8":[17,152501,232501,"gone"]}

238.500 s
  ~ /default/Control/ID/db/status
    said: {"fbae27432718000000014bd8c442c5f8":[18,152501,237501,"gone"]}

243.500 s
  + /default/Pass/ID/000000000003
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 3 1 1760000243500 ; 
    next: 4
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    condemned: 242501
    pass: 3
    reason: "lost"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":5,"unhealthy":0,"unreachable":0,"wanted":6}

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true

  + /default/Pass/ID/000000000004
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 4 1 1760000243500 ; 
    next: 5
  ~ /default/Control/ID/status
    series: {"fbae27432718":[7,1,242501]}
  + /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    created: 242501
    generation: "58c2d4f2b51c301b"
    group: "db"
    labels: "-"
    life: "30313233343536373839616263646566"
    made: 1760000243500
    name: "db-0"
    pass: 4
    plugin: "sim"
    reason: "free_slot"
    slot: 0
    state: "create"
  - /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":5,"unhealthy":0,"unreachable":0,"wanted":6}

  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    answered: true
    id: "sim-7"

245.500 s
  + /default/Pass/ID/000000000005
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 5 1 1760000245500 ; 
    next: 6
  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    active: 244501
    pass: 5
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":6,"unhealthy":0,"unreachable":0,"wanted":6}

=== a machine stops
1266.000 s
  + /default/Control/ID/web/status
    said: {"fbae2743271800000006d526b3fb02f2":[1,1265001,1265001,"stopped"]}

1271.000 s
  ~ /default/Control/ID/web/status
    said: {"fbae2743271800000006d526b3fb02f2":[2,1265001,1270001,"stopped"]}

  + /default/Pass/ID/000000000006
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 6 1 1760001271000 ; 
    next: 7
  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    condemned: 1270001
    losses: 1
    pass: 6
    reason: "stopped"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":5,"unhealthy":0,"unreachable":0,"wanted":6}

  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    answered: true

  + /default/Pass/ID/000000000007
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 7 1 1760001271000 ; 
    next: 8
  ~ /default/Control/ID/status
    series: {"fbae27432718":[8,1,1270001]}
  + /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    created: 1270001
    generation: "58c2d4f2b51c301b"
    group: "web"
    labels: "-"
    life: "30313233343536373839616263646566"
    losses: 1
    made: 1760001271000
    name: "web-3"
    pass: 7
    plugin: "sim"
    reason: "free_slot"
    slot: 3
    state: "create"
  - /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":5,"unhealthy":0,"unreachable":0,"wanted":6}

  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    answered: true
    id: "sim-8"

1273.000 s
  + /default/Pass/ID/000000000008
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 8 1 1760001273000 ; 
    next: 9
  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    active: 1272001
    pass: 8
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":6,"unhealthy":0,"unreachable":0,"wanted":6}

=== another manager goes on while one is missing
2473.500 s
  ~ /default/Control/ID/web/status
    absent: {"fbae27432718000000052c80c771e46a":[1,2472501,2472501]}
    said: (none)

2521.000 s
  ~ /default/Lease/ID/status
    session: "life-2"

2551.000 s
  ~ /default/Control/ID/web/status
    absent: {"fbae27432718000000052c80c771e46a":[2,2472501,2550001]}

2581.000 s
  ~ /default/Control/ID/web/status
    said: {"fbae27432718000000052c80c771e46a":[1,2580001,2580001,"gone"]}

2586.000 s
  ~ /default/Control/ID/web/status
    said: {"fbae27432718000000052c80c771e46a":[2,2580001,2585001,"gone"]}

2591.000 s
  ~ /default/Control/ID/web/status
    said: {"fbae27432718000000052c80c771e46a":[3,2580001,2590001,"gone"]}

2596.000 s
  ~ /default/Control/ID/web/status
    said: {"fbae27432718000000052c80c771e46a":[4,2580001,2595001,"gone"]}

2601.000 s
  ~ /default/Control/ID/web/status
    said: {"fbae27432718000000052c80c771e46a":[5,2580001,2600001,"gone"]}

2606.000 s
  ~ /default/Control/ID/web/status
    said: {"fbae27432718000000052c80c771e46a":[6,2580001,2605001,"gone"]}

2611.000 s
  ~ /default/Control/ID/web/status
    absent: {"fbae27432718000000052c80c771e46a":[3,2472501,2610001]}

  ~ /default/Control/ID/web/status
    said: {"fbae27432718000000052c80c771e46a":[7,2580001,2610001,"gone"]}

2616.000 s
  ~ /default/Control/ID/web/status
    said: {"fbae27432718000000052c80c771e46a":[8,2580001,2615001,"gone"]}

2621.000 s
  ~ /default/Control/ID/web/status
    said: {"fbae27432718000000052c80c771e46a":[9,2580001,2620001,"gone"]}

2626.000 s
  ~ /default/Control/ID/web/status
    said: {"fbae27432718000000052c80c771e46a":[10,2580001,2625001,"gone"]}

2631.000 s
  ~ /default/Control/ID/web/status
    said: {"fbae27432718000000052c80c771e46a":[11,2580001,2630001,"gone"]}

2636.000 s
  ~ /default/Control/ID/web/status
    said: {"fbae27432718000000052c80c771e46a":[12,2580001,2635001,"gone"]}

2641.000 s
  ~ /default/Control/ID/web/status
    said: {"fbae27432718000000052c80c771e46a":[13,2580001,2640001,"gone"]}

2646.000 s
  ~ /default/Control/ID/web/status
    said: {"fbae27432718000000052c80c771e46a":[14,2580001,2645001,"gone"]}

2651.000 s
  ~ /default/Control/ID/web/status
    said: {"fbae27432718000000052c80c771e46a":[15,2580001,2650001,"gone"]}

2656.000 s
  + /default/Pass/ID/000000000009
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 8 1 1760001273000 ; 9 1 1 1760002656000 ; 
    next: 10
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    condemned: 2655001
    pass: 9
    reason: "lost"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":5,"unhealthy":0,"unreachable":0,"wanted":6}

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true

  + /default/Pass/ID/000000000010
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 8 1 1760001273000 ; 9 2 1 1760002656000 ; 
    next: 11
  ~ /default/Control/ID/status
    series: {"5ddad54ef4c3":[1,2655001,2655001],"fbae27432718":[8,1,1270001]}
  + /default/Resource/ID/5ddad54ef4c3000000011ae5e4a46c97/status
    created: 2655001
    generation: "58c2d4f2b51c301b"
    group: "web"
    labels: "-"
    life: "30313233343536373839616263646566"
    made: 1760002656000
    name: "web-2"
    pass: 10
    plugin: "sim"
    reason: "free_slot"
    slot: 2
    state: "create"
  - /default/Resource/ID/fbae27432718000000052c80c771e46a/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":5,"unhealthy":0,"unreachable":0,"wanted":6}

  ~ /default/Resource/ID/5ddad54ef4c3000000011ae5e4a46c97/status
    answered: true
    id: "sim-9"

2658.000 s
  + /default/Pass/ID/000000000011
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 8 1 1760001273000 ; 9 3 1 1760002658000 ; 
    next: 12
  ~ /default/Resource/ID/5ddad54ef4c3000000011ae5e4a46c97/status
    active: 2657001
    pass: 11
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":6,"unhealthy":0,"unreachable":0,"wanted":6}

=== events

{"actor":"ana","groups":["db","web"],"kind":"Cluster","name":"shop","object":"ID","sums":{"change":0,"create":6,"destroy":0,"groups":2,"nodes":6,"reboot":0,"replace":0},"type":"cluster.created"}
{"actor":"reeve","fact":"size is 2, 0 recorded","group":"db","kind":"Cluster","name":"shop","node":"db-0","object":"ID","pass":1,"rule":"free_slot","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.wanted"}
{"actor":"reeve","fact":"size is 2, 0 recorded","group":"db","kind":"Cluster","name":"shop","node":"db-1","object":"ID","pass":1,"rule":"free_slot","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.wanted"}
{"actor":"reeve","fact":"size is 4, 0 recorded","group":"web","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":1,"rule":"free_slot","slot":0,"token":"fbae27432718000000034981fbfa71b6","type":"machine.wanted"}
{"actor":"reeve","fact":"size is 4, 0 recorded","group":"web","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":1,"rule":"free_slot","slot":1,"token":"fbae27432718000000047fa3cb7da0a8","type":"machine.wanted"}
{"actor":"reeve","fact":"size is 4, 0 recorded","group":"web","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":1,"rule":"free_slot","slot":2,"token":"fbae27432718000000052c80c771e46a","type":"machine.wanted"}
{"actor":"reeve","fact":"size is 4, 0 recorded","group":"web","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":1,"rule":"free_slot","slot":3,"token":"fbae2743271800000006d526b3fb02f2","type":"machine.wanted"}
{"actor":"reeve","fact":"job/1","kind":"Cluster","name":"shop","object":"ID","type":"job.began"}
{"actor":"reeve","group":"web","id":"sim-6","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":1,"rule":"free_slot","slot":3,"token":"fbae2743271800000006d526b3fb02f2","type":"machine.made"}
{"actor":"reeve","group":"web","id":"sim-5","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":1,"rule":"free_slot","slot":2,"token":"fbae27432718000000052c80c771e46a","type":"machine.made"}
{"actor":"reeve","group":"web","id":"sim-4","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":1,"rule":"free_slot","slot":1,"token":"fbae27432718000000047fa3cb7da0a8","type":"machine.made"}
{"actor":"reeve","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":1,"rule":"free_slot","slot":0,"token":"fbae27432718000000034981fbfa71b6","type":"machine.made"}
{"actor":"reeve","group":"db","id":"sim-2","kind":"Cluster","name":"shop","node":"db-1","object":"ID","pass":1,"rule":"free_slot","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.made"}
{"actor":"reeve","group":"db","id":"sim-1","kind":"Cluster","name":"shop","node":"db-0","object":"ID","pass":1,"rule":"free_slot","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.made"}
{"actor":"reeve","fact":"sim-1 runs","group":"db","id":"sim-1","kind":"Cluster","name":"shop","node":"db-0","object":"ID","pass":2,"rule":"activate","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.ready"}
{"actor":"reeve","fact":"sim-2 runs","group":"db","id":"sim-2","kind":"Cluster","name":"shop","node":"db-1","object":"ID","pass":2,"rule":"activate","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.ready"}
{"actor":"reeve","fact":"sim-3 runs","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":2,"rule":"activate","slot":0,"token":"fbae27432718000000034981fbfa71b6","type":"machine.ready"}
{"actor":"reeve","fact":"sim-4 runs","group":"web","id":"sim-4","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":2,"rule":"activate","slot":1,"token":"fbae27432718000000047fa3cb7da0a8","type":"machine.ready"}
{"actor":"reeve","fact":"sim-5 runs","group":"web","id":"sim-5","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":2,"rule":"activate","slot":2,"token":"fbae27432718000000052c80c771e46a","type":"machine.ready"}
{"actor":"reeve","fact":"sim-6 runs","group":"web","id":"sim-6","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":2,"rule":"activate","slot":3,"token":"fbae2743271800000006d526b3fb02f2","type":"machine.ready"}
{"actor":"reeve","fact":"job/1","kind":"Cluster","name":"shop","object":"ID","type":"job.done"}
{"actor":"reeve","fact":"4 absences, not found by its id 18 times","group":"db","id":"sim-1","kind":"Cluster","name":"shop","node":"db-0","object":"ID","pass":3,"rule":"lost","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.condemned"}
{"actor":"reeve","group":"db","id":"sim-1","kind":"Cluster","name":"shop","node":"db-0","object":"ID","pass":3,"rule":"lost","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.ended"}
{"actor":"reeve","fact":"size is 2, 1 recorded","group":"db","kind":"Cluster","name":"shop","node":"db-0","object":"ID","pass":4,"rule":"free_slot","slot":0,"token":"fbae2743271800000007ff39ce7d3478","type":"machine.wanted"}
{"actor":"reeve","fact":"the provider has said that it is done","group":"db","id":"sim-1","kind":"Cluster","name":"shop","node":"db-0","object":"ID","pass":4,"rule":"forget","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.gone"}
{"actor":"reeve","group":"db","id":"sim-7","kind":"Cluster","name":"shop","node":"db-0","object":"ID","pass":4,"rule":"free_slot","slot":0,"token":"fbae2743271800000007ff39ce7d3478","type":"machine.made"}
{"actor":"reeve","fact":"sim-7 runs","group":"db","id":"sim-7","kind":"Cluster","name":"shop","node":"db-0","object":"ID","pass":5,"rule":"activate","slot":0,"token":"fbae2743271800000007ff39ce7d3478","type":"machine.ready"}
{"actor":"reeve","fact":"2 answers agree","group":"web","id":"sim-6","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":6,"rule":"stopped","slot":3,"token":"fbae2743271800000006d526b3fb02f2","type":"machine.condemned"}
{"actor":"reeve","group":"web","id":"sim-6","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":6,"rule":"stopped","slot":3,"token":"fbae2743271800000006d526b3fb02f2","type":"machine.ended"}
{"actor":"reeve","fact":"size is 4, 3 recorded","group":"web","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":7,"rule":"free_slot","slot":3,"token":"fbae2743271800000008bd5b8c474eec","type":"machine.wanted"}
{"actor":"reeve","fact":"the provider has said that it is done","group":"web","id":"sim-6","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":7,"rule":"forget","slot":3,"token":"fbae2743271800000006d526b3fb02f2","type":"machine.gone"}
{"actor":"reeve","group":"web","id":"sim-8","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":7,"rule":"free_slot","slot":3,"token":"fbae2743271800000008bd5b8c474eec","type":"machine.made"}
{"actor":"reeve","fact":"sim-8 runs","group":"web","id":"sim-8","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":8,"rule":"activate","slot":3,"token":"fbae2743271800000008bd5b8c474eec","type":"machine.ready"}
{"actor":"reeve","fact":"4 absences, not found by its id 15 times","group":"web","id":"sim-5","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":9,"rule":"lost","slot":2,"token":"fbae27432718000000052c80c771e46a","type":"machine.condemned"}
{"actor":"reeve","group":"web","id":"sim-5","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":9,"rule":"lost","slot":2,"token":"fbae27432718000000052c80c771e46a","type":"machine.ended"}
{"actor":"reeve","fact":"size is 4, 3 recorded","group":"web","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":10,"rule":"free_slot","slot":2,"token":"5ddad54ef4c3000000011ae5e4a46c97","type":"machine.wanted"}
{"actor":"reeve","fact":"the provider has said that it is done","group":"web","id":"sim-5","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":10,"rule":"forget","slot":2,"token":"fbae27432718000000052c80c771e46a","type":"machine.gone"}
{"actor":"reeve","group":"web","id":"sim-9","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":10,"rule":"free_slot","slot":2,"token":"5ddad54ef4c3000000011ae5e4a46c97","type":"machine.made"}
{"actor":"reeve","fact":"sim-9 runs","group":"web","id":"sim-9","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":11,"rule":"activate","slot":2,"token":"5ddad54ef4c3000000011ae5e4a46c97","type":"machine.ready"}
