1.000 s (0 decided, last at 0.000 s), 0 lists, 0 other calls, 0 probes
  + /default/Lease/ID/status
    ahead: -999
    clock: "lab"
    session: "life-1"

  + /default/Control/ID/status
    series: {"fbae27432718":[6,1,1]}
  + /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "db"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 0
    state: "create"
  + /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "db"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 1
    state: "create"
  + /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 0
    state: "create"
  + /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 1
    state: "create"
  + /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 2
    state: "create"
  + /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000001000
    pass: 1
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
    problems: []
    revision: 1
    state: "running"
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

3.000 s, 1 done, 4 quiet (5 decided, last at 2.500 s), 6 lists, 6 other calls, 0 probes
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

61.000 s, 1 done, 2 quiet (2 decided, last at 33.500 s), 2 lists, 0 other calls, 0 probes
=== web-0 is gone
63.500 s (0 decided, last at 33.500 s), 2 lists, 0 other calls, 0 probes
  + /default/Control/ID/db/status
    absent: {"fbae27432718000000014bd8c442c5f8":[1,62501,62501]}

123.500 s, 2 done (2 decided, last at 93.500 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/db/status
    absent: {"fbae27432718000000014bd8c442c5f8":[2,62501,122501]}

153.500 s, 2 done (2 decided, last at 153.500 s), 1 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[1,152501,152501,"gone"]}

158.500 s, 2 done (2 decided, last at 158.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[2,152501,157501,"gone"]}

163.500 s, 2 done (2 decided, last at 163.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[3,152501,162501,"gone"]}

168.500 s, 2 done (2 decided, last at 168.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[4,152501,167501,"gone"]}

173.500 s, 2 done (2 decided, last at 173.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[5,152501,172501,"gone"]}

178.500 s, 2 done (2 decided, last at 178.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[6,152501,177501,"gone"]}

183.500 s, 1 done (1 decided, last at 178.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/db/status
    absent: {"fbae27432718000000014bd8c442c5f8":[3,62501,182501]}

  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[7,152501,182501,"gone"]}

188.500 s, 3 done (3 decided, last at 188.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[8,152501,187501,"gone"]}

193.500 s, 2 done (2 decided, last at 193.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[9,152501,192501,"gone"]}

198.500 s, 2 done (2 decided, last at 198.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[10,152501,197501,"gone"]}

203.500 s, 2 done (2 decided, last at 203.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[11,152501,202501,"gone"]}

208.500 s, 2 done (2 decided, last at 208.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[12,152501,207501,"gone"]}

213.500 s, 2 done (2 decided, last at 213.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[13,152501,212501,"gone"]}

218.500 s, 2 done (2 decided, last at 218.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[14,152501,217501,"gone"]}

223.500 s, 2 done (2 decided, last at 223.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[15,152501,222501,"gone"]}

228.500 s, 2 done (2 decided, last at 228.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[16,152501,227501,"gone"]}

233.500 s, 2 done (2 decided, last at 233.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[17,152501,232501,"gone"]}

238.500 s, 2 done (2 decided, last at 238.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[18,152501,237501,"gone"]}

243.500 s, 1 done (1 decided, last at 238.500 s), 2 lists, 0 other calls, 0 probes
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

  ~ /default/Control/ID/status
    series: {"fbae27432718":[7,1,242501]}
  + /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    created: 242501
    generation: "58c2d4f2b51c301b"
    group: "db"
    made: 1760000243500
    pass: 4
    reason: "free_slot"
    slot: 0
    state: "create"
  - /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":5,"unhealthy":0,"unreachable":0,"wanted":6}

  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    answered: true
    id: "sim-7"

245.500 s, 2 done, 4 quiet (6 decided, last at 245.000 s), 6 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    active: 244501
    pass: 5
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":6,"unhealthy":0,"unreachable":0,"wanted":6}

1261.000 s, 1 done, 34 quiet (3 decided, last at 1236.000 s), 35 lists, 0 other calls, 0 probes
=== a machine stops
1266.000 s, 1 done (1 decided, last at 1266.000 s), 2 lists, 1 other calls, 0 probes
  + /default/Control/ID/web/status
    lookups: {"fbae2743271800000006d526b3fb02f2":[1,1265001,1265001,"stopped"]}

1271.000 s, 1 done, 1 quiet (2 decided, last at 1271.000 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000006d526b3fb02f2":[2,1265001,1270001,"stopped"]}

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

  ~ /default/Control/ID/status
    series: {"fbae27432718":[8,1,1270001]}
  + /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    created: 1270001
    generation: "58c2d4f2b51c301b"
    group: "web"
    losses: 1
    made: 1760001271000
    pass: 7
    reason: "free_slot"
    slot: 3
    state: "create"
  - /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":5,"unhealthy":0,"unreachable":0,"wanted":6}

  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    answered: true
    id: "sim-8"

1273.000 s, 2 done, 4 quiet (6 decided, last at 1272.500 s), 7 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    active: 1272001
    pass: 8
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":6,"unhealthy":0,"unreachable":0,"wanted":6}

2461.000 s, 1 done, 40 quiet (3 decided, last at 2443.500 s), 41 lists, 0 other calls, 0 probes
=== another manager goes on while one is missing
2473.500 s (0 decided, last at 2443.500 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae27432718000000052c80c771e46a":[1,2472501,2472501]}
    lookups: (none)

2521.000 s, 2 done (2 decided, last at 2503.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Lease/ID/status
    session: "life-2"

2551.000 s, 1 done (1 decided, last at 2521.000 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae27432718000000052c80c771e46a":[2,2472501,2550001]}

2581.000 s, 2 done (2 decided, last at 2581.000 s), 1 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[1,2580001,2580001,"gone"]}

2586.000 s, 2 done (2 decided, last at 2586.000 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[2,2580001,2585001,"gone"]}

2591.000 s, 2 done (2 decided, last at 2591.000 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[3,2580001,2590001,"gone"]}

2596.000 s, 2 done (2 decided, last at 2596.000 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[4,2580001,2595001,"gone"]}

2601.000 s, 2 done (2 decided, last at 2601.000 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[5,2580001,2600001,"gone"]}

2606.000 s, 2 done (2 decided, last at 2606.000 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[6,2580001,2605001,"gone"]}

2611.000 s, 1 done (1 decided, last at 2606.000 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae27432718000000052c80c771e46a":[3,2472501,2610001]}

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[7,2580001,2610001,"gone"]}

2616.000 s, 3 done (3 decided, last at 2616.000 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[8,2580001,2615001,"gone"]}

2621.000 s, 2 done (2 decided, last at 2621.000 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[9,2580001,2620001,"gone"]}

2626.000 s, 2 done (2 decided, last at 2626.000 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[10,2580001,2625001,"gone"]}

2631.000 s, 2 done (2 decided, last at 2631.000 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[11,2580001,2630001,"gone"]}

2636.000 s, 2 done (2 decided, last at 2636.000 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[12,2580001,2635001,"gone"]}

2641.000 s, 2 done (2 decided, last at 2641.000 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[13,2580001,2640001,"gone"]}

2646.000 s, 2 done (2 decided, last at 2646.000 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[14,2580001,2645001,"gone"]}

2651.000 s, 2 done (2 decided, last at 2651.000 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[15,2580001,2650001,"gone"]}

2656.000 s, 1 done (1 decided, last at 2651.000 s), 2 lists, 0 other calls, 0 probes
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

  ~ /default/Control/ID/status
    series: {"5ddad54ef4c3":[1,2655001,2655001],"fbae27432718":[8,1,1270001]}
  + /default/Resource/ID/5ddad54ef4c3000000011ae5e4a46c97/status
    created: 2655001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760002656000
    pass: 10
    reason: "free_slot"
    slot: 2
    state: "create"
  - /default/Resource/ID/fbae27432718000000052c80c771e46a/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":5,"unhealthy":0,"unreachable":0,"wanted":6}

  ~ /default/Resource/ID/5ddad54ef4c3000000011ae5e4a46c97/status
    answered: true
    id: "sim-9"

2658.000 s, 2 done, 4 quiet (6 decided, last at 2657.500 s), 6 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/5ddad54ef4c3000000011ae5e4a46c97/status
    active: 2657001
    pass: 11
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":6,"unhealthy":0,"unreachable":0,"wanted":6}

=== the end
3721.000 s, 1 done, 36 quiet (3 decided, last at 3708.500 s), 37 lists, 0 other calls, 0 probes
=== machines
sim-1 db/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 61000 stopped 0 reboots 0 at 0 ''
sim-2 db/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-3 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-4 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-5 web/2 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 2461000 stopped 0 reboots 0 at 0 ''
sim-6 web/3 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 1271000 stopped 1261000 reboots 0 at 0 'stopped'
sim-7 db/0 {"resourcePlugin":"sim"} zone '' labels  made 243500 ended 0 stopped 0 reboots 0 at 0 ''
sim-8 web/3 {"resourcePlugin":"sim"} zone '' labels  made 1271000 ended 0 stopped 0 reboots 0 at 0 ''
sim-9 web/2 {"resourcePlugin":"sim"} zone '' labels  made 2656000 ended 0 stopped 0 reboots 0 at 0 ''
=== events
cluster.created: actor "ana" groups ["db","web"] sums {"change":0,"create":6,"destroy":0,"groups":2,"nodes":6,"reboot":0,"replace":0}
machine.wanted: fact "size is 2, 0 recorded" group "db" node "db-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 2, 0 recorded" group "db" node "db-1" pass 1 rule "free_slot" slot 1
machine.wanted: fact "size is 4, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 4, 0 recorded" group "web" node "web-1" pass 1 rule "free_slot" slot 1
machine.wanted: fact "size is 4, 0 recorded" group "web" node "web-2" pass 1 rule "free_slot" slot 2
machine.wanted: fact "size is 4, 0 recorded" group "web" node "web-3" pass 1 rule "free_slot" slot 3
job.began: fact "job/1"
machine.created: group "web" id "sim-6" node "web-3" pass 1 rule "free_slot" slot 3
machine.created: group "web" id "sim-5" node "web-2" pass 1 rule "free_slot" slot 2
machine.created: group "web" id "sim-4" node "web-1" pass 1 rule "free_slot" slot 1
machine.created: group "web" id "sim-3" node "web-0" pass 1 rule "free_slot" slot 0
machine.created: group "db" id "sim-2" node "db-1" pass 1 rule "free_slot" slot 1
machine.created: group "db" id "sim-1" node "db-0" pass 1 rule "free_slot" slot 0
machine.ready: fact "sim-1 runs" group "db" id "sim-1" node "db-0" pass 2 rule "activate" slot 0
machine.ready: fact "sim-2 runs" group "db" id "sim-2" node "db-1" pass 2 rule "activate" slot 1
machine.ready: fact "sim-3 runs" group "web" id "sim-3" node "web-0" pass 2 rule "activate" slot 0
machine.ready: fact "sim-4 runs" group "web" id "sim-4" node "web-1" pass 2 rule "activate" slot 1
machine.ready: fact "sim-5 runs" group "web" id "sim-5" node "web-2" pass 2 rule "activate" slot 2
machine.ready: fact "sim-6 runs" group "web" id "sim-6" node "web-3" pass 2 rule "activate" slot 3
job.done: fact "job/1"
machine.condemned: fact "4 absences; 18 lookups by id did not find the machine" group "db" id "sim-1" node "db-0" pass 3 rule "lost" slot 0
machine.destroyed: group "db" id "sim-1" node "db-0" pass 3 rule "lost" slot 0
machine.wanted: fact "size is 2, 1 recorded" group "db" node "db-0" pass 4 rule "free_slot" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "db" id "sim-1" node "db-0" pass 4 rule "forget" slot 0
machine.created: group "db" id "sim-7" node "db-0" pass 4 rule "free_slot" slot 0
machine.ready: fact "sim-7 runs" group "db" id "sim-7" node "db-0" pass 5 rule "activate" slot 0
machine.condemned: fact "2 answers agree" group "web" id "sim-6" node "web-3" pass 6 rule "stopped" slot 3
machine.destroyed: group "web" id "sim-6" node "web-3" pass 6 rule "stopped" slot 3
machine.wanted: fact "size is 4, 3 recorded" group "web" node "web-3" pass 7 rule "free_slot" slot 3
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-6" node "web-3" pass 7 rule "forget" slot 3
machine.created: group "web" id "sim-8" node "web-3" pass 7 rule "free_slot" slot 3
machine.ready: fact "sim-8 runs" group "web" id "sim-8" node "web-3" pass 8 rule "activate" slot 3
machine.condemned: fact "4 absences; 15 lookups by id did not find the machine" group "web" id "sim-5" node "web-2" pass 9 rule "lost" slot 2
machine.destroyed: group "web" id "sim-5" node "web-2" pass 9 rule "lost" slot 2
machine.wanted: fact "size is 4, 3 recorded" group "web" node "web-2" pass 10 rule "free_slot" slot 2
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-5" node "web-2" pass 10 rule "forget" slot 2
machine.created: group "web" id "sim-9" node "web-2" pass 10 rule "free_slot" slot 2
machine.ready: fact "sim-9 runs" group "web" id "sim-9" node "web-2" pass 11 rule "activate" slot 2
