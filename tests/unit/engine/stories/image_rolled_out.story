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

=== another image, one canary that bakes for 10 minutes
61.000 s

  + /default/Pass/ID/000000000003
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 3 1 1760000061000 ; 
    next: 4
  ~ /default/Control/ID/status
    series: {"fbae27432718":[5,1,60001]}
  + /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    created: 60001
    generation: "d737f7d1c3549b7a"
    group: "web"
    image: "debian-13"
    labels: "-"
    life: "30313233343536373839616263646566"
    made: 1760000061000
    name: "web-0"
    pass: 3
    plugin: "sim"
    reason: "roll"
    slot: 0
    state: "create"
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    outdated: true
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    outdated: true
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    outdated: true
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    outdated: true
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":4,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
    observed: 6
  + /default/Job/ID/00000000000000000006/status
    begun: 1760000061000
    by: "ana"
    cluster: "shop"
    groups: [{"batch":2,"canary":1,"creating":1,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":4,"outdated":4,"ready":4,"updated":0,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":4,"outdated":4,"ready":4,"updated":0,"wanted":4}
    revision: 6
    state: "running"
    troubles: []
    waits: []

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true
    id: "sim-5"

63.000 s
  + /default/Pass/ID/000000000004
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 4 1 1760000063000 ; 
    next: 5
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    active: 62001
    pass: 4
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":4,"ready":5,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"batch":2,"canary":1,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":4,"outdated":4,"ready":5,"updated":1,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":4,"outdated":4,"ready":5,"updated":1,"wanted":4}

63.500 s
  + /default/Pass/ID/000000000005
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 5 1 1760000063500 ; 
    next: 6
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    condemned: 62501
    pass: 5
    reason: "rolled"
    state: "delete"
    answered: (none)
  + /default/Hold/ID/bake/web/status
    advice: "wait: it goes on when they have served for so long; rollout pause stops it"
    cluster: "shop"
    fact: "for 600 s"
    group: "web"
    pass: 5
    rule: "bake"
    since: 1760000063500
    why: "the first of the new generation must serve for a while"
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":4,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"batch":2,"canary":1,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":1,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}]
    machines: {"creating":0,"leaving":1,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}
    waits: ["web:bake"]

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true

  + /default/Pass/ID/000000000006
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 6 1 1760000063500 ; 
    next: 7
  - /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":3,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"batch":2,"canary":1,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}
    state: "waiting"

=== paused while it bakes
361.000 s

  + /default/Pass/ID/000000000007
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 7 1 1760000361000 ; 
    next: 8
  + /default/Hold/ID/paused/web/status
    advice: "resume it when it may go on"
    cluster: "shop"
    fact: "watching goes on"
    group: "web"
    pass: 7
    rule: "paused"
    since: 1760000361000
    why: "it is paused"
    wouldCreate: 0
    wouldDestroy: 0
  - /default/Hold/ID/bake/web/status
  ~ /default/Job/ID/00000000000000000006/status
    state: "paused"
    waits: ["web:paused"]

=== resumed
961.000 s

  + /default/Pass/ID/000000000008
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 8 1 1760000961000 ; 
    next: 9
  ~ /default/Control/ID/status
    series: {"fbae27432718":[6,1,960001]}
  + /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    created: 960001
    generation: "d737f7d1c3549b7a"
    group: "web"
    image: "debian-13"
    labels: "-"
    life: "30313233343536373839616263646566"
    made: 1760000961000
    name: "web-1"
    pass: 8
    plugin: "sim"
    reason: "roll"
    slot: 1
    state: "create"
  - /default/Hold/ID/paused/web/status
  ~ /default/Cluster/ID/status
    holds: 0
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":3,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"batch":2,"canary":1,"creating":1,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    answered: true
    id: "sim-6"

963.000 s
  + /default/Pass/ID/000000000009
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 9 1 1760000963000 ; 
    next: 10
  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    active: 962001
    pass: 9
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":3,"ready":5,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"batch":2,"canary":1,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":3,"outdated":3,"ready":5,"updated":2,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":3,"outdated":3,"ready":5,"updated":2,"wanted":4}

963.500 s
  + /default/Pass/ID/000000000010
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 10 1 1760000963500 ; 
    next: 11
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    condemned: 962501
    pass: 10
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":3,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"batch":2,"canary":1,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":1,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":4}]
    machines: {"creating":0,"leaving":1,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":4}

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true

  + /default/Pass/ID/000000000011
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 11 1 1760000963500 ; 
    next: 12
  ~ /default/Control/ID/status
    series: {"fbae27432718":[7,1,962501]}
  + /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    created: 962501
    generation: "d737f7d1c3549b7a"
    group: "web"
    image: "debian-13"
    labels: "-"
    life: "30313233343536373839616263646566"
    made: 1760000963500
    name: "web-2"
    pass: 11
    plugin: "sim"
    reason: "roll"
    slot: 2
    state: "create"
  - /default/Resource/ID/fbae2743271800000002de820479c4a8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":2,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"batch":2,"canary":1,"creating":1,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":4}

  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    answered: true
    id: "sim-7"

965.500 s
  + /default/Pass/ID/000000000012
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 12 1 1760000965500 ; 
    next: 13
  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    active: 964501
    pass: 12
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":2,"ready":5,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"batch":2,"canary":1,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":2,"outdated":2,"ready":5,"updated":3,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":2,"outdated":2,"ready":5,"updated":3,"wanted":4}

966.000 s
  + /default/Pass/ID/000000000013
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 13 1 1760000966000 ; 
    next: 14
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    condemned: 965001
    pass: 13
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":2,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"batch":2,"canary":1,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":1,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":4}]
    machines: {"creating":0,"leaving":1,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":4}

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true

  + /default/Pass/ID/000000000014
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 14 1 1760000966000 ; 
    next: 15
  ~ /default/Control/ID/status
    series: {"fbae27432718":[8,1,965001]}
  + /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    created: 965001
    generation: "d737f7d1c3549b7a"
    group: "web"
    image: "debian-13"
    labels: "-"
    life: "30313233343536373839616263646566"
    made: 1760000966000
    name: "web-3"
    pass: 14
    plugin: "sim"
    reason: "roll"
    slot: 3
    state: "create"
  - /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":1,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"batch":2,"canary":1,"creating":1,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":4}

  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    answered: true
    id: "sim-8"

968.000 s
  + /default/Pass/ID/000000000015
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 15 1 1760000968000 ; 
    next: 16
  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    active: 967001
    pass: 15
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":1,"ready":5,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"batch":2,"canary":1,"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":1,"outdated":1,"ready":5,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":1,"outdated":1,"ready":5,"updated":4,"wanted":4}

968.500 s
  + /default/Pass/ID/000000000016
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 16 1 1760000968500 ; 
    next: 17
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    condemned: 967501
    pass: 16
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":1,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":1,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":1,"old":0,"ready":4,"updated":4,"wanted":4}

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true

  + /default/Pass/ID/000000000017
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 17 1 1760000968500 ; 
    next: 18
  - /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    ended: 1760000968500
    groups: [{"creating":0,"generations":["d737f7d1c3549b7a"],"group":"web","leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}
    state: "done"

=== labels and another image, whose canary stops
2161.000 s

  + /default/Pass/ID/000000000018
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 18 1 1760002161000 ; 
    next: 19
  ~ /default/Control/ID/status
    series: {"fbae27432718":[9,1,2160001]}
  + /default/Resource/ID/fbae27432718000000095ddad54ef4c3/status
    created: 2160001
    generation: "ea0f74d3f9f98a4d"
    group: "web"
    image: "debian-14"
    labels: "8aad4fbc56a6cfbd"
    life: "30313233343536373839616263646566"
    made: 1760002161000
    name: "web-0"
    pass: 18
    plugin: "sim"
    reason: "roll"
    slot: 0
    state: "create"
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    outdated: true
  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    outdated: true
  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    outdated: true
  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    outdated: true
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":4,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
    observed: 32
  + /default/Job/ID/00000000000000000032/status
    begun: 1760002161000
    by: "ana"
    cluster: "shop"
    groups: [{"batch":1,"canary":1,"creating":1,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":0,"old":4,"outdated":4,"ready":4,"updated":0,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":4,"outdated":4,"ready":4,"updated":0,"wanted":4}
    revision: 32
    state: "running"
    troubles: []
    waits: []

  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    labels: "8aad4fbc56a6cfbd"
  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    labels: "8aad4fbc56a6cfbd"
  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    labels: "8aad4fbc56a6cfbd"
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    labels: "8aad4fbc56a6cfbd"
  ~ /default/Resource/ID/fbae27432718000000095ddad54ef4c3/status
    answered: true
    id: "sim-9"

2163.000 s
  + /default/Pass/ID/000000000019
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 19 1 1760002163000 ; 
    next: 20
  ~ /default/Resource/ID/fbae27432718000000095ddad54ef4c3/status
    active: 2162001
    pass: 19
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":4,"ready":5,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000032/status
    groups: [{"batch":1,"canary":1,"creating":0,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":0,"old":4,"outdated":4,"ready":5,"updated":1,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":4,"outdated":4,"ready":5,"updated":1,"wanted":4}

2163.500 s
  + /default/Pass/ID/000000000020
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 20 1 1760002163500 ; 
    next: 21
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    condemned: 2162501
    pass: 20
    reason: "rolled"
    state: "delete"
    answered: (none)
  + /default/Hold/ID/bake/web/status
    advice: "wait: it goes on when they have served for so long; rollout pause stops it"
    cluster: "shop"
    fact: "for 600 s"
    group: "web"
    pass: 20
    rule: "bake"
    since: 1760002163500
    why: "the first of the new generation must serve for a while"
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":4,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000032/status
    groups: [{"batch":1,"canary":1,"creating":0,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":1,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}]
    machines: {"creating":0,"leaving":1,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}
    waits: ["web:bake"]

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true

  + /default/Pass/ID/000000000021
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 21 1 1760002163500 ; 
    next: 22
  - /default/Resource/ID/fbae27432718000000052c80c771e46a/status
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":3,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000032/status
    groups: [{"batch":1,"canary":1,"creating":0,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":0,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}
    state: "waiting"

2228.500 s
  + /default/Pass/ID/000000000022
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 22 1 1760002228500 ; 
    next: 23
  - /default/Hold/ID/bake/web/status
  ~ /default/Cluster/ID/status
    holds: 0
  ~ /default/Job/ID/00000000000000000032/status
    state: "running"
    waits: []

  + /default/Control/ID/web/status
    said: {"fbae27432718000000095ddad54ef4c3":[1,2227501,2227501,"stopped"]}

2233.500 s
  ~ /default/Control/ID/web/status
    said: {"fbae27432718000000095ddad54ef4c3":[2,2227501,2232501,"stopped"]}

  + /default/Pass/ID/000000000023
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 23 1 1760002233500 ; 
    next: 24
  ~ /default/Resource/ID/fbae27432718000000095ddad54ef4c3/status
    condemned: 2232501
    losses: 1
    pass: 23
    reason: "stopped"
    state: "delete"
    answered: (none)
  + /default/Hold/ID/roll_failed/web/status
    advice: "see why they failed; rollout undo takes the change back, rollout promote goes on all the same"
    cluster: "shop"
    fact: "1 machine failed, maxFail is 1"
    group: "web"
    observation: "ea0f74d3f9f98a4d/1"
    pass: 23
    rule: "roll_failed"
    since: 1760002233500
    why: "too many machines of the new generation have failed"
    wouldCreate: 3
    wouldDestroy: 3
  ~ /default/Cluster/ID/status
    holds: 1
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":3,"ready":3,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000032/status
    groups: [{"batch":1,"canary":1,"creating":0,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":1,"old":3,"outdated":3,"ready":3,"updated":0,"wanted":4}]
    machines: {"creating":0,"leaving":1,"old":3,"outdated":3,"ready":3,"updated":0,"wanted":4}
    waits: ["web:roll_failed"]

  ~ /default/Resource/ID/fbae27432718000000095ddad54ef4c3/status
    answered: true

  + /default/Pass/ID/000000000024
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 24 1 1760002233500 ; 
    next: 25
  ~ /default/Control/ID/status
    series: {"fbae27432718":[10,1,2232501]}
  + /default/Resource/ID/fbae274327180000000a1ae5e4a46c97/status
    created: 2232501
    generation: "ea0f74d3f9f98a4d"
    group: "web"
    image: "debian-14"
    labels: "8aad4fbc56a6cfbd"
    life: "30313233343536373839616263646566"
    losses: 1
    made: 1760002233500
    name: "web-0"
    pass: 24
    plugin: "sim"
    reason: "free_slot"
    slot: 0
    state: "create"
  - /default/Resource/ID/fbae27432718000000095ddad54ef4c3/status
  ~ /default/Cluster/ID/status
    holds: 0
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":3,"ready":3,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000032/status
    groups: [{"batch":1,"canary":1,"creating":1,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":0,"old":3,"outdated":3,"ready":3,"updated":0,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":3,"outdated":3,"ready":3,"updated":0,"wanted":4}
    waits: []

  ~ /default/Resource/ID/fbae274327180000000a1ae5e4a46c97/status
    answered: true
    id: "sim-10"

  ~ /default/Cluster/ID/status
    holds: 1
  ~ /default/Job/ID/00000000000000000032/status
    waits: ["web:roll_failed"]

2235.500 s
  + /default/Pass/ID/000000000025
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 25 1 1760002235500 ; 
    next: 26
  ~ /default/Resource/ID/fbae274327180000000a1ae5e4a46c97/status
    active: 2234501
    pass: 25
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":3,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000032/status
    groups: [{"batch":1,"canary":1,"creating":0,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":0,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}
    state: "waiting"

3421.000 s

=== roll_failed of shop/web is answered
  + /default/Pass/ID/000000000026
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 26 1 1760003421000 ; 
    next: 27
  ~ /default/Control/ID/status
    series: {"fbae27432718":[11,1,3420001]}
  + /default/Resource/ID/fbae274327180000000b77a2035ba595/status
    created: 3420001
    generation: "ea0f74d3f9f98a4d"
    group: "web"
    image: "debian-14"
    labels: "8aad4fbc56a6cfbd"
    life: "30313233343536373839616263646566"
    made: 1760003421000
    name: "web-1"
    pass: 26
    plugin: "sim"
    reason: "roll"
    slot: 1
    state: "create"
  ~ /default/Cluster/ID/status
    holds: 0
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":3,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000032/status
    groups: [{"batch":1,"canary":1,"creating":1,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":0,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae274327180000000b77a2035ba595/status
    answered: true
    id: "sim-11"

3423.000 s
  + /default/Pass/ID/000000000027
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 27 1 1760003423000 ; 
    next: 28
  ~ /default/Resource/ID/fbae274327180000000b77a2035ba595/status
    active: 3422001
    pass: 27
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":3,"ready":5,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000032/status
    groups: [{"batch":1,"canary":1,"creating":0,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":0,"old":3,"outdated":3,"ready":5,"updated":2,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":3,"outdated":3,"ready":5,"updated":2,"wanted":4}

3423.500 s
  + /default/Pass/ID/000000000028
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 28 1 1760003423500 ; 
    next: 29
  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    condemned: 3422501
    pass: 28
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":3,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000032/status
    groups: [{"batch":1,"canary":1,"creating":0,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":1,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":4}]
    machines: {"creating":0,"leaving":1,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":4}

  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    answered: true

  + /default/Pass/ID/000000000029
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 29 1 1760003423500 ; 
    next: 30
  ~ /default/Control/ID/status
    series: {"fbae27432718":[12,1,3422501]}
  + /default/Resource/ID/fbae274327180000000c64dfe452be0f/status
    created: 3422501
    generation: "ea0f74d3f9f98a4d"
    group: "web"
    image: "debian-14"
    labels: "8aad4fbc56a6cfbd"
    life: "30313233343536373839616263646566"
    made: 1760003423500
    name: "web-2"
    pass: 29
    plugin: "sim"
    reason: "roll"
    slot: 2
    state: "create"
  - /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":2,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000032/status
    groups: [{"batch":1,"canary":1,"creating":1,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":0,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":4}

  ~ /default/Resource/ID/fbae274327180000000c64dfe452be0f/status
    answered: true
    id: "sim-12"

3425.500 s
  + /default/Pass/ID/000000000030
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 30 1 1760003425500 ; 
    next: 31
  ~ /default/Resource/ID/fbae274327180000000c64dfe452be0f/status
    active: 3424501
    pass: 30
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":2,"ready":5,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000032/status
    groups: [{"batch":1,"canary":1,"creating":0,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":0,"old":2,"outdated":2,"ready":5,"updated":3,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":2,"outdated":2,"ready":5,"updated":3,"wanted":4}

3426.000 s
  + /default/Pass/ID/000000000031
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 31 1 1760003426000 ; 
    next: 32
  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    condemned: 3425001
    pass: 31
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":2,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000032/status
    groups: [{"batch":1,"canary":1,"creating":0,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":1,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":4}]
    machines: {"creating":0,"leaving":1,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":4}

  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    answered: true

  + /default/Pass/ID/000000000032
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 32 1 1760003426000 ; 
    next: 33
  ~ /default/Control/ID/status
    series: {"fbae27432718":[13,1,3425001]}
  + /default/Resource/ID/fbae274327180000000d3fdb453fbdc8/status
    created: 3425001
    generation: "ea0f74d3f9f98a4d"
    group: "web"
    image: "debian-14"
    labels: "8aad4fbc56a6cfbd"
    life: "30313233343536373839616263646566"
    made: 1760003426000
    name: "web-3"
    pass: 32
    plugin: "sim"
    reason: "roll"
    slot: 3
    state: "create"
  - /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":1,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000032/status
    groups: [{"batch":1,"canary":1,"creating":1,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":0,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":4}

  ~ /default/Resource/ID/fbae274327180000000d3fdb453fbdc8/status
    answered: true
    id: "sim-13"

3428.000 s
  + /default/Pass/ID/000000000033
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 33 1 1760003428000 ; 
    next: 34
  ~ /default/Resource/ID/fbae274327180000000d3fdb453fbdc8/status
    active: 3427001
    pass: 33
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":1,"ready":5,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000032/status
    groups: [{"batch":1,"canary":1,"creating":0,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":0,"old":1,"outdated":1,"ready":5,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":1,"outdated":1,"ready":5,"updated":4,"wanted":4}

3428.500 s
  + /default/Pass/ID/000000000034
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 34 1 1760003428500 ; 
    next: 35
  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    condemned: 3427501
    pass: 34
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":1,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000032/status
    groups: [{"creating":0,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":1,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":1,"old":0,"ready":4,"updated":4,"wanted":4}

  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    answered: true

  + /default/Pass/ID/000000000035
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 35 1 1760003428500 ; 
    next: 36
  - /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000032/status
    ended: 1760003428500
    groups: [{"creating":0,"generations":["ea0f74d3f9f98a4d"],"group":"web","leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}
    state: "done"

3433.500 s
  + /default/Pass/ID/000000000036
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 36 1 1760003433500 ; 
    next: 37
  - /default/Hold/ID/roll_failed/web/status

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
{"actor":"ana","groups":["web"],"kind":"Cluster","name":"shop","object":"ID","sums":{"change":0,"create":0,"destroy":0,"groups":1,"nodes":4,"reboot":0,"replace":4},"type":"cluster.changed"}
{"actor":"reeve","fact":"58c2d4f2b51c301b -> d737f7d1c3549b7a","group":"web","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":3,"rule":"roll","slot":0,"token":"fbae27432718000000052c80c771e46a","type":"machine.wanted"}
{"actor":"reeve","fact":"job/6","kind":"Cluster","name":"shop","object":"ID","type":"job.began"}
{"actor":"reeve","group":"web","id":"sim-5","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":3,"rule":"roll","slot":0,"token":"fbae27432718000000052c80c771e46a","type":"machine.made"}
{"actor":"reeve","fact":"sim-5 runs","group":"web","id":"sim-5","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":4,"rule":"activate","slot":0,"token":"fbae27432718000000052c80c771e46a","type":"machine.ready"}
{"actor":"reeve","fact":"sim-5 serves","group":"web","id":"sim-1","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":5,"rule":"rolled","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.condemned"}
{"actor":"reeve","fact":"for 600 s","group":"web","kind":"Cluster","name":"shop","object":"ID","pass":5,"rule":"bake","type":"hold.began"}
{"actor":"reeve","group":"web","id":"sim-1","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":5,"rule":"rolled","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.ended"}
{"actor":"reeve","fact":"the provider has said that it is done","group":"web","id":"sim-1","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":6,"rule":"forget","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.gone"}
{"actor":"ana","kind":"Cluster","name":"shop","object":"ID","type":"cluster.paused"}
{"actor":"reeve","fact":"watching goes on","group":"web","kind":"Cluster","name":"shop","object":"ID","pass":7,"rule":"paused","type":"hold.began"}
{"actor":"reeve","group":"web","kind":"Cluster","name":"shop","object":"ID","pass":7,"rule":"bake","type":"hold.ended"}
{"actor":"ana","kind":"Cluster","name":"shop","object":"ID","type":"cluster.resumed"}
{"actor":"reeve","fact":"58c2d4f2b51c301b -> d737f7d1c3549b7a","group":"web","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":8,"rule":"roll","slot":1,"token":"fbae2743271800000006d526b3fb02f2","type":"machine.wanted"}
{"actor":"reeve","group":"web","kind":"Cluster","name":"shop","object":"ID","pass":8,"rule":"paused","type":"hold.ended"}
{"actor":"reeve","group":"web","id":"sim-6","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":8,"rule":"roll","slot":1,"token":"fbae2743271800000006d526b3fb02f2","type":"machine.made"}
{"actor":"reeve","fact":"sim-6 runs","group":"web","id":"sim-6","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":9,"rule":"activate","slot":1,"token":"fbae2743271800000006d526b3fb02f2","type":"machine.ready"}
{"actor":"reeve","fact":"sim-6 serves","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":10,"rule":"rolled","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.condemned"}
{"actor":"reeve","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":10,"rule":"rolled","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.ended"}
{"actor":"reeve","fact":"58c2d4f2b51c301b -> d737f7d1c3549b7a","group":"web","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":11,"rule":"roll","slot":2,"token":"fbae2743271800000007ff39ce7d3478","type":"machine.wanted"}
{"actor":"reeve","fact":"the provider has said that it is done","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":11,"rule":"forget","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.gone"}
{"actor":"reeve","group":"web","id":"sim-7","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":11,"rule":"roll","slot":2,"token":"fbae2743271800000007ff39ce7d3478","type":"machine.made"}
{"actor":"reeve","fact":"sim-7 runs","group":"web","id":"sim-7","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":12,"rule":"activate","slot":2,"token":"fbae2743271800000007ff39ce7d3478","type":"machine.ready"}
{"actor":"reeve","fact":"sim-7 serves","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":13,"rule":"rolled","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.condemned"}
{"actor":"reeve","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":13,"rule":"rolled","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.ended"}
{"actor":"reeve","fact":"58c2d4f2b51c301b -> d737f7d1c3549b7a","group":"web","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":14,"rule":"roll","slot":3,"token":"fbae2743271800000008bd5b8c474eec","type":"machine.wanted"}
{"actor":"reeve","fact":"the provider has said that it is done","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":14,"rule":"forget","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.gone"}
{"actor":"reeve","group":"web","id":"sim-8","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":14,"rule":"roll","slot":3,"token":"fbae2743271800000008bd5b8c474eec","type":"machine.made"}
{"actor":"reeve","fact":"sim-8 runs","group":"web","id":"sim-8","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":15,"rule":"activate","slot":3,"token":"fbae2743271800000008bd5b8c474eec","type":"machine.ready"}
{"actor":"reeve","fact":"sim-8 serves","group":"web","id":"sim-4","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":16,"rule":"rolled","slot":3,"token":"fbae27432718000000047fa3cb7da0a8","type":"machine.condemned"}
{"actor":"reeve","group":"web","id":"sim-4","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":16,"rule":"rolled","slot":3,"token":"fbae27432718000000047fa3cb7da0a8","type":"machine.ended"}
{"actor":"reeve","fact":"the provider has said that it is done","group":"web","id":"sim-4","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":17,"rule":"forget","slot":3,"token":"fbae27432718000000047fa3cb7da0a8","type":"machine.gone"}
{"actor":"reeve","fact":"job/6","kind":"Cluster","name":"shop","object":"ID","type":"job.done"}
{"actor":"ana","groups":["web"],"kind":"Cluster","name":"shop","object":"ID","sums":{"change":0,"create":0,"destroy":0,"groups":1,"nodes":4,"reboot":0,"replace":4},"type":"cluster.changed"}
{"actor":"reeve","fact":"d737f7d1c3549b7a -> ea0f74d3f9f98a4d","group":"web","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":18,"rule":"roll","slot":0,"token":"fbae27432718000000095ddad54ef4c3","type":"machine.wanted"}
{"actor":"reeve","fact":"job/32","kind":"Cluster","name":"shop","object":"ID","type":"job.began"}
{"actor":"reeve","group":"web","id":"sim-6","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":9,"rule":"roll","slot":1,"token":"fbae2743271800000006d526b3fb02f2","type":"machine.labelled"}
{"actor":"reeve","group":"web","id":"sim-8","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":15,"rule":"roll","slot":3,"token":"fbae2743271800000008bd5b8c474eec","type":"machine.labelled"}
{"actor":"reeve","group":"web","id":"sim-7","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":12,"rule":"roll","slot":2,"token":"fbae2743271800000007ff39ce7d3478","type":"machine.labelled"}
{"actor":"reeve","group":"web","id":"sim-5","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":4,"rule":"roll","slot":0,"token":"fbae27432718000000052c80c771e46a","type":"machine.labelled"}
{"actor":"reeve","group":"web","id":"sim-9","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":18,"rule":"roll","slot":0,"token":"fbae27432718000000095ddad54ef4c3","type":"machine.made"}
{"actor":"reeve","fact":"sim-9 runs","group":"web","id":"sim-9","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":19,"rule":"activate","slot":0,"token":"fbae27432718000000095ddad54ef4c3","type":"machine.ready"}
{"actor":"reeve","fact":"sim-9 serves","group":"web","id":"sim-5","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":20,"rule":"rolled","slot":0,"token":"fbae27432718000000052c80c771e46a","type":"machine.condemned"}
{"actor":"reeve","fact":"for 600 s","group":"web","kind":"Cluster","name":"shop","object":"ID","pass":20,"rule":"bake","type":"hold.began"}
{"actor":"reeve","group":"web","id":"sim-5","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":20,"rule":"rolled","slot":0,"token":"fbae27432718000000052c80c771e46a","type":"machine.ended"}
{"actor":"reeve","fact":"the provider has said that it is done","group":"web","id":"sim-5","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":21,"rule":"forget","slot":0,"token":"fbae27432718000000052c80c771e46a","type":"machine.gone"}
{"actor":"reeve","group":"web","kind":"Cluster","name":"shop","object":"ID","pass":22,"rule":"bake","type":"hold.ended"}
{"actor":"reeve","fact":"2 answers agree","group":"web","id":"sim-9","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":23,"rule":"stopped","slot":0,"token":"fbae27432718000000095ddad54ef4c3","type":"machine.condemned"}
{"actor":"reeve","fact":"1 machine failed, maxFail is 1","group":"web","kind":"Cluster","name":"shop","object":"ID","pass":23,"rule":"roll_failed","type":"hold.began"}
{"actor":"reeve","group":"web","id":"sim-9","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":23,"rule":"stopped","slot":0,"token":"fbae27432718000000095ddad54ef4c3","type":"machine.ended"}
{"actor":"reeve","fact":"size is 4, 3 recorded","group":"web","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":24,"rule":"free_slot","slot":0,"token":"fbae274327180000000a1ae5e4a46c97","type":"machine.wanted"}
{"actor":"reeve","fact":"the provider has said that it is done","group":"web","id":"sim-9","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":24,"rule":"forget","slot":0,"token":"fbae27432718000000095ddad54ef4c3","type":"machine.gone"}
{"actor":"reeve","group":"web","id":"sim-10","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":24,"rule":"free_slot","slot":0,"token":"fbae274327180000000a1ae5e4a46c97","type":"machine.made"}
{"actor":"reeve","fact":"sim-10 runs","group":"web","id":"sim-10","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":25,"rule":"activate","slot":0,"token":"fbae274327180000000a1ae5e4a46c97","type":"machine.ready"}
{"actor":"ana","group":"web","kind":"Cluster","name":"shop","object":"ID","rule":"roll_failed","type":"hold.approved"}
{"actor":"reeve","fact":"d737f7d1c3549b7a -> ea0f74d3f9f98a4d","group":"web","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":26,"rule":"roll","slot":1,"token":"fbae274327180000000b77a2035ba595","type":"machine.wanted"}
{"actor":"reeve","group":"web","id":"sim-11","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":26,"rule":"roll","slot":1,"token":"fbae274327180000000b77a2035ba595","type":"machine.made"}
{"actor":"reeve","fact":"sim-11 runs","group":"web","id":"sim-11","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":27,"rule":"activate","slot":1,"token":"fbae274327180000000b77a2035ba595","type":"machine.ready"}
{"actor":"reeve","fact":"sim-11 serves","group":"web","id":"sim-6","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":28,"rule":"rolled","slot":1,"token":"fbae2743271800000006d526b3fb02f2","type":"machine.condemned"}
{"actor":"reeve","group":"web","id":"sim-6","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":28,"rule":"rolled","slot":1,"token":"fbae2743271800000006d526b3fb02f2","type":"machine.ended"}
{"actor":"reeve","fact":"d737f7d1c3549b7a -> ea0f74d3f9f98a4d","group":"web","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":29,"rule":"roll","slot":2,"token":"fbae274327180000000c64dfe452be0f","type":"machine.wanted"}
{"actor":"reeve","fact":"the provider has said that it is done","group":"web","id":"sim-6","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":29,"rule":"forget","slot":1,"token":"fbae2743271800000006d526b3fb02f2","type":"machine.gone"}
{"actor":"reeve","group":"web","id":"sim-12","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":29,"rule":"roll","slot":2,"token":"fbae274327180000000c64dfe452be0f","type":"machine.made"}
{"actor":"reeve","fact":"sim-12 runs","group":"web","id":"sim-12","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":30,"rule":"activate","slot":2,"token":"fbae274327180000000c64dfe452be0f","type":"machine.ready"}
{"actor":"reeve","fact":"sim-12 serves","group":"web","id":"sim-7","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":31,"rule":"rolled","slot":2,"token":"fbae2743271800000007ff39ce7d3478","type":"machine.condemned"}
{"actor":"reeve","group":"web","id":"sim-7","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":31,"rule":"rolled","slot":2,"token":"fbae2743271800000007ff39ce7d3478","type":"machine.ended"}
{"actor":"reeve","fact":"d737f7d1c3549b7a -> ea0f74d3f9f98a4d","group":"web","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":32,"rule":"roll","slot":3,"token":"fbae274327180000000d3fdb453fbdc8","type":"machine.wanted"}
{"actor":"reeve","fact":"the provider has said that it is done","group":"web","id":"sim-7","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":32,"rule":"forget","slot":2,"token":"fbae2743271800000007ff39ce7d3478","type":"machine.gone"}
{"actor":"reeve","group":"web","id":"sim-13","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":32,"rule":"roll","slot":3,"token":"fbae274327180000000d3fdb453fbdc8","type":"machine.made"}
{"actor":"reeve","fact":"sim-13 runs","group":"web","id":"sim-13","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":33,"rule":"activate","slot":3,"token":"fbae274327180000000d3fdb453fbdc8","type":"machine.ready"}
{"actor":"reeve","fact":"sim-13 serves","group":"web","id":"sim-8","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":34,"rule":"rolled","slot":3,"token":"fbae2743271800000008bd5b8c474eec","type":"machine.condemned"}
{"actor":"reeve","group":"web","id":"sim-8","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":34,"rule":"rolled","slot":3,"token":"fbae2743271800000008bd5b8c474eec","type":"machine.ended"}
{"actor":"reeve","fact":"the provider has said that it is done","group":"web","id":"sim-8","kind":"Cluster","name":"shop","node":"web-3","object":"ID","pass":35,"rule":"forget","slot":3,"token":"fbae2743271800000008bd5b8c474eec","type":"machine.gone"}
{"actor":"reeve","fact":"job/32","kind":"Cluster","name":"shop","object":"ID","type":"job.done"}
{"actor":"reeve","group":"web","kind":"Cluster","name":"shop","object":"ID","pass":36,"rule":"roll_failed","type":"hold.ended"}
