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

=== a record is lost, and an operator spares its machine
61.000 s
  - /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status

63.500 s
  + /default/Pass/ID/000000000003
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 3 1 1760000063500 ; 
    next: 4
  ~ /default/Control/ID/status
    series: {"fbae27432718":[4,1,62501]}
    sighted: {"sim-1":[1,62501,62501]}
  + /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    created: 62501
    generation: "58c2d4f2b51c301b"
    group: "web"
    labels: "-"
    life: "30313233343536373839616263646566"
    made: 1760000063500
    name: "web-0"
    pass: 3
    plugin: "sim"
    reason: "free_slot"
    slot: 0
    state: "create"
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":3}

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true
    id: "sim-4"

65.500 s
  + /default/Pass/ID/000000000004
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 4 1 1760000065500 ; 
    next: 5
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    active: 64501
    pass: 4
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}

126.000 s
  ~ /default/Control/ID/status
    sighted: {"sim-1":[2,62501,125001]}

186.000 s
  ~ /default/Control/ID/status
    sighted: {"sim-1":[3,62501,185001]}

246.000 s
  + /default/Pass/ID/000000000005
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 5 1 1760000246000 ; 
    next: 6
  + /default/Hold/ID/quarantine/status
    advice: "reject it to keep them; else they go when their time is over"
    cluster: "shop"
    fact: "1 machine that nobody asked for"
    pass: 5
    rule: "quarantine"
    since: 1760000246000
    sources: ["sim"]
    why: "nobody asked for this machine: it goes unless an operator spares it"
    wouldCreate: 0
    wouldDestroy: 1
  ~ /default/Cluster/ID/status
    holds: 1

361.000 s

=== quarantine of shop is answered
  + /default/Pass/ID/000000000006
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 6 1 1760000361000 ; 
    next: 7
  ~ /default/Control/ID/status
    sighted: {"sim-1":[3,62501,185001,"spared"]}
  - /default/Hold/ID/quarantine/status
  ~ /default/Cluster/ID/status
    holds: 0

=== another one is lost, and goes in its time
1561.000 s
  - /default/Resource/ID/fbae2743271800000002de820479c4a8/status

  + /default/Pass/ID/000000000007
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 7 1 1760001561000 ; 
    next: 8
  ~ /default/Control/ID/status
    series: {"fbae27432718":[5,1,1560001]}
    sighted: {"sim-1":[3,62501,185001,"spared"],"sim-2":[1,1560001,1560001]}
  + /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    created: 1560001
    generation: "58c2d4f2b51c301b"
    group: "web"
    labels: "-"
    life: "30313233343536373839616263646566"
    made: 1760001561000
    name: "web-1"
    pass: 7
    plugin: "sim"
    reason: "free_slot"
    slot: 1
    state: "create"
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":3}

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true
    id: "sim-5"

1563.000 s
  + /default/Pass/ID/000000000008
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 8 1 1760001563000 ; 
    next: 9
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    active: 1562001
    pass: 8
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}

1623.500 s
  ~ /default/Control/ID/status
    sighted: {"sim-1":[3,62501,185001,"spared"],"sim-2":[2,1560001,1622501]}

1683.500 s
  ~ /default/Control/ID/status
    sighted: {"sim-1":[3,62501,185001,"spared"],"sim-2":[3,1560001,1682501]}

1743.500 s
  + /default/Pass/ID/000000000009
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 9 1 1760001743500 ; 
    next: 10
  + /default/Hold/ID/quarantine/status
    advice: "reject it to keep them; else they go when their time is over"
    cluster: "shop"
    fact: "1 machine that nobody asked for"
    pass: 9
    rule: "quarantine"
    since: 1760001743500
    sources: ["sim"]
    why: "nobody asked for this machine: it goes unless an operator spares it"
    wouldCreate: 0
    wouldDestroy: 1
  ~ /default/Cluster/ID/status
    holds: 1

2343.500 s
  + /default/Pass/ID/000000000010
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 10 1 1760002343500 ; 
    next: 11
  ~ /default/Control/ID/status
    series: {"fbae27432718":[6,1,2342501]}
    spent: [[1,2342501]]
  + /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    condemned: 2342501
    created: 2342501
    generation: "58c2d4f2b51c301b"
    group: "web"
    id: "sim-2"
    life: "30313233343536373839616263646566"
    made: 1760002343500
    name: "web-1"
    pass: 10
    plugin: "sim"
    reason: "orphan"
    slot: 1
    state: "delete"
  - /default/Hold/ID/quarantine/status
  ~ /default/Cluster/ID/status
    holds: 0
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}

  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    answered: true

  + /default/Pass/ID/000000000011
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 11 1 1760002343500 ; 
    next: 12
  ~ /default/Control/ID/status
    sighted: {"sim-1":[3,62501,185001,"spared"]}
  - /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}

=== the cluster is deleted while one is unknown
5161.000 s
  - /default/Resource/ID/fbae27432718000000034981fbfa71b6/status

5168.500 s
  + /default/Pass/ID/000000000012
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 12 1 1760005168500 ; 
    next: 13
  ~ /default/Control/ID/status
    series: {"fbae27432718":[7,1,5167501]}
    sighted: {"sim-1":[3,62501,185001,"spared"],"sim-3":[1,5167501,5167501]}
  + /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    created: 5167501
    generation: "58c2d4f2b51c301b"
    group: "web"
    labels: "-"
    life: "30313233343536373839616263646566"
    made: 1760005168500
    name: "web-2"
    pass: 12
    plugin: "sim"
    reason: "free_slot"
    slot: 2
    state: "create"
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":3}

  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    answered: true
    id: "sim-6"

5170.500 s
  + /default/Pass/ID/000000000013
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 13 1 1760005170500 ; 
    next: 14
  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    active: 5169501
    pass: 13
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}

5231.000 s
  ~ /default/Control/ID/status
    sighted: {"sim-1":[3,62501,185001,"spared"],"sim-3":[2,5167501,5230001]}

5281.000 s
  - /default/Cluster/ID/status

  + /default/Pass/ID/000000000014
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 14 1 1760005281000 ; 
    next: 15
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    condemned: 5280001
    pass: 14
    reason: "scale_in"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    condemned: 5280001
    pass: 14
    reason: "scale_in"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    condemned: 5280001
    pass: 14
    reason: "scale_in"
    state: "delete"
    answered: (none)
  + /default/Hold/ID/lingering/status
    advice: "wait: it ends at the time that it names; a machine that is known to be there is ended at the provider at once"
    cluster: "shop"
    fact: "sim-3, which nobody asked for, was seen: until listings lack it for 20 min"
    pass: 14
    rule: "lingering"
    since: 1760005281000
    why: "the cluster is deleted, and a machine of it may still be there: its records stay until that is known"
    wouldCreate: 0
    wouldDestroy: 0
  + /default/Job/ID/00000000000000000030/status
    begun: 1760005281000
    cluster: "shop"
    groups: [{"creating":0,"generations":[],"group":"web","leaving":3,"old":0,"ready":0,"updated":0,"wanted":0}]
    machines: {"creating":0,"leaving":3,"old":0,"ready":0,"updated":0,"wanted":0}
    revision: 30
    state: "running"
    troubles: []
    waits: ["lingering"]

  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    answered: true
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true

5311.000 s
  ~ /default/Control/ID/status
    sighted: {"sim-1":[3,62501,185001,"spared"],"sim-3":[3,5167501,5310001]}

5371.000 s
  + /default/Pass/ID/000000000015
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 15 1 1760005371000 ; 
    next: 16
  + /default/Hold/ID/quarantine/status
    advice: "reject it to keep them; else they go when their time is over"
    cluster: "shop"
    fact: "1 machine that nobody asked for"
    pass: 15
    rule: "quarantine"
    since: 1760005371000
    sources: ["sim"]
    why: "nobody asked for this machine: it goes unless an operator spares it"
    wouldCreate: 0
    wouldDestroy: 1
  ~ /default/Job/ID/00000000000000000030/status
    waits: ["quarantine","lingering"]

5971.000 s
  + /default/Pass/ID/000000000016
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 16 1 1760005971000 ; 
    next: 17
  ~ /default/Control/ID/status
    series: {"fbae27432718":[8,1,5970001]}
    spent: [[1,5970001]]
  + /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    condemned: 5970001
    created: 5970001
    group: "web"
    id: "sim-3"
    life: "30313233343536373839616263646566"
    made: 1760005971000
    pass: 16
    plugin: "sim"
    reason: "orphan"
    slot: 2
    state: "delete"
  - /default/Hold/ID/quarantine/status
  ~ /default/Job/ID/00000000000000000030/status
    waits: ["lingering"]

  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    answered: true

  + /default/Pass/ID/000000000017
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 17 1 1760005971000 ; 
    next: 18
  ~ /default/Control/ID/status
    missed: {"sim-3":[1,5970001,5970001]}
    sighted: {"sim-1":[3,62501,185001,"spared"]}
  - /default/Resource/ID/fbae27432718000000052c80c771e46a/status
  - /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
  - /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
  - /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
  - /default/Hold/ID/lingering/status
  ~ /default/Job/ID/00000000000000000030/status
    ended: 1760005971000
    groups: []
    machines: {"creating":0,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":0}
    state: "done"
    waits: []

5976.000 s
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
{"actor":"reeve","fact":"size is 3, 2 recorded","group":"web","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":3,"rule":"free_slot","slot":0,"token":"fbae27432718000000047fa3cb7da0a8","type":"machine.wanted"}
{"actor":"reeve","group":"web","id":"sim-4","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":3,"rule":"free_slot","slot":0,"token":"fbae27432718000000047fa3cb7da0a8","type":"machine.made"}
{"actor":"reeve","fact":"sim-4 runs","group":"web","id":"sim-4","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":4,"rule":"activate","slot":0,"token":"fbae27432718000000047fa3cb7da0a8","type":"machine.ready"}
{"actor":"reeve","fact":"1 machine that nobody asked for","kind":"Cluster","name":"shop","object":"ID","pass":5,"rule":"quarantine","type":"hold.began"}
{"actor":"ana","kind":"Cluster","name":"shop","object":"ID","rule":"quarantine","type":"hold.rejected"}
{"actor":"reeve","kind":"Cluster","name":"shop","object":"ID","pass":6,"rule":"quarantine","type":"hold.ended"}
{"actor":"reeve","fact":"size is 3, 2 recorded","group":"web","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":7,"rule":"free_slot","slot":1,"token":"fbae27432718000000052c80c771e46a","type":"machine.wanted"}
{"actor":"reeve","group":"web","id":"sim-5","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":7,"rule":"free_slot","slot":1,"token":"fbae27432718000000052c80c771e46a","type":"machine.made"}
{"actor":"reeve","fact":"sim-5 runs","group":"web","id":"sim-5","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":8,"rule":"activate","slot":1,"token":"fbae27432718000000052c80c771e46a","type":"machine.ready"}
{"actor":"reeve","fact":"1 machine that nobody asked for","kind":"Cluster","name":"shop","object":"ID","pass":9,"rule":"quarantine","type":"hold.began"}
{"actor":"reeve","fact":"3 sightings","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":10,"rule":"orphan","slot":1,"token":"fbae2743271800000006d526b3fb02f2","type":"machine.condemned"}
{"actor":"reeve","kind":"Cluster","name":"shop","object":"ID","pass":10,"rule":"quarantine","type":"hold.ended"}
{"actor":"reeve","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":10,"rule":"orphan","slot":1,"token":"fbae2743271800000006d526b3fb02f2","type":"machine.ended"}
{"actor":"reeve","fact":"the provider has said that it is done","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":11,"rule":"forget","slot":1,"token":"fbae2743271800000006d526b3fb02f2","type":"machine.gone"}
{"actor":"reeve","fact":"size is 3, 2 recorded","group":"web","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":12,"rule":"free_slot","slot":2,"token":"fbae2743271800000007ff39ce7d3478","type":"machine.wanted"}
{"actor":"reeve","group":"web","id":"sim-6","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":12,"rule":"free_slot","slot":2,"token":"fbae2743271800000007ff39ce7d3478","type":"machine.made"}
{"actor":"reeve","fact":"sim-6 runs","group":"web","id":"sim-6","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":13,"rule":"activate","slot":2,"token":"fbae2743271800000007ff39ce7d3478","type":"machine.ready"}
{"actor":"ana","groups":["web"],"kind":"Cluster","name":"shop","object":"ID","sums":{"change":0,"create":0,"destroy":3,"groups":0,"nodes":0,"reboot":0,"replace":0},"type":"cluster.deleted"}
{"actor":"reeve","fact":"size is 0","group":"web","id":"sim-5","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":14,"rule":"scale_in","slot":1,"token":"fbae27432718000000052c80c771e46a","type":"machine.condemned"}
{"actor":"reeve","fact":"size is 0","group":"web","id":"sim-4","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":14,"rule":"scale_in","slot":0,"token":"fbae27432718000000047fa3cb7da0a8","type":"machine.condemned"}
{"actor":"reeve","fact":"size is 0","group":"web","id":"sim-6","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":14,"rule":"scale_in","slot":2,"token":"fbae2743271800000007ff39ce7d3478","type":"machine.condemned"}
{"actor":"reeve","fact":"sim-3, which nobody asked for, was seen: until listings lack it for 20 min","kind":"Cluster","name":"shop","object":"ID","pass":14,"rule":"lingering","type":"hold.began"}
{"actor":"reeve","fact":"job/30","kind":"Cluster","name":"shop","object":"ID","type":"job.began"}
{"actor":"reeve","group":"web","id":"sim-6","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":14,"rule":"scale_in","slot":2,"token":"fbae2743271800000007ff39ce7d3478","type":"machine.ended"}
{"actor":"reeve","group":"web","id":"sim-4","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":14,"rule":"scale_in","slot":0,"token":"fbae27432718000000047fa3cb7da0a8","type":"machine.ended"}
{"actor":"reeve","group":"web","id":"sim-5","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":14,"rule":"scale_in","slot":1,"token":"fbae27432718000000052c80c771e46a","type":"machine.ended"}
{"actor":"reeve","fact":"1 machine that nobody asked for","kind":"Cluster","name":"shop","object":"ID","pass":15,"rule":"quarantine","type":"hold.began"}
{"actor":"reeve","fact":"3 sightings","group":"web","id":"sim-3","kind":"Cluster","name":"shop","object":"ID","pass":16,"rule":"orphan","slot":2,"token":"fbae2743271800000008bd5b8c474eec","type":"machine.condemned"}
{"actor":"reeve","kind":"Cluster","name":"shop","object":"ID","pass":16,"rule":"quarantine","type":"hold.ended"}
{"actor":"reeve","group":"web","id":"sim-3","kind":"Cluster","name":"shop","object":"ID","pass":16,"rule":"orphan","slot":2,"token":"fbae2743271800000008bd5b8c474eec","type":"machine.ended"}
{"actor":"reeve","fact":"the provider has said that it is done","group":"web","id":"sim-5","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":17,"rule":"forget","slot":1,"token":"fbae27432718000000052c80c771e46a","type":"machine.gone"}
{"actor":"reeve","fact":"the provider has said that it is done","group":"web","id":"sim-4","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":17,"rule":"forget","slot":0,"token":"fbae27432718000000047fa3cb7da0a8","type":"machine.gone"}
{"actor":"reeve","fact":"the provider has said that it is done","group":"web","id":"sim-6","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":17,"rule":"forget","slot":2,"token":"fbae2743271800000007ff39ce7d3478","type":"machine.gone"}
{"actor":"reeve","fact":"the provider has said that it is done","group":"web","id":"sim-3","kind":"Cluster","name":"shop","object":"ID","pass":17,"rule":"forget","slot":2,"token":"fbae2743271800000008bd5b8c474eec","type":"machine.gone"}
{"actor":"reeve","kind":"Cluster","name":"shop","object":"ID","pass":17,"rule":"lingering","type":"hold.ended"}
{"actor":"reeve","fact":"job/30","kind":"Cluster","name":"shop","object":"ID","type":"job.done"}
