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
    group: "web"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 0
    state: "create"
  + /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
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
    slot: 2
    state: "create"
  + /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 3
    state: "create"
  + /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 4
    state: "create"
  + /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 5
    state: "create"
  + /default/Cluster/ID/status
    holds: 0
    machines: {"creating":6,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":6}
    observed: 1
  + /default/Job/ID/00000000000000000001/status
    begun: 1760000001000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":6,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":6}]
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
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":6,"updated":6,"wanted":6}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":6,"updated":6,"wanted":6}
    state: "done"

61.000 s, 1 done, 2 quiet (2 decided, last at 33.500 s), 2 lists, 0 other calls, 0 probes
=== two stop at once
63.500 s, 1 done (1 decided, last at 63.500 s), 2 lists, 2 other calls, 0 probes
  + /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[1,62501,62501,"stopped"],"fbae2743271800000002de820479c4a8":[1,62501,62501,"stopped"]}

68.500 s, 1 done, 1 quiet (2 decided, last at 68.500 s), 2 lists, 2 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[2,62501,67501,"stopped"],"fbae2743271800000002de820479c4a8":[2,62501,67501,"stopped"]}

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    condemned: 67501
    losses: 1
    pass: 3
    reason: "stopped"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    condemned: 67501
    losses: 1
    pass: 3
    reason: "stopped"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":2,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":6}

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[8,1,67501]}
  + /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    created: 67501
    generation: "58c2d4f2b51c301b"
    group: "web"
    losses: 1
    made: 1760000068500
    pass: 4
    reason: "free_slot"
    slot: 0
    state: "create"
  + /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    created: 67501
    generation: "58c2d4f2b51c301b"
    group: "web"
    losses: 1
    made: 1760000068500
    pass: 4
    reason: "free_slot"
    slot: 1
    state: "create"
  - /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
  - /default/Resource/ID/fbae2743271800000002de820479c4a8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":2,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":6}

  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    answered: true
    id: "sim-8"
  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    answered: true
    id: "sim-7"

70.500 s, 2 done, 4 quiet (6 decided, last at 70.000 s), 7 lists, 4 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    active: 69501
    pass: 5
    state: "active"
  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    active: 69501
    pass: 5
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":6,"unhealthy":0,"unreachable":0,"wanted":6}

241.000 s, 1 done, 6 quiet (2 decided, last at 221.000 s), 6 lists, 0 other calls, 0 probes
=== one more stops
251.000 s, 1 done (1 decided, last at 251.000 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[2,62501,67501,"stopped"],"fbae2743271800000002de820479c4a8":[2,62501,67501,"stopped"],"fbae27432718000000034981fbfa71b6":[1,250001,250001,"stopped"]}

256.000 s, 1 done, 1 quiet (2 decided, last at 256.000 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[2,62501,67501,"stopped"],"fbae2743271800000002de820479c4a8":[2,62501,67501,"stopped"],"fbae27432718000000034981fbfa71b6":[2,250001,255001,"stopped"]}

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    condemned: 255001
    losses: 1
    pass: 6
    reason: "stopped"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":5,"unhealthy":0,"unreachable":0,"wanted":6}

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[9,1,255001]}
  + /default/Resource/ID/fbae27432718000000095ddad54ef4c3/status
    created: 255001
    generation: "58c2d4f2b51c301b"
    group: "web"
    losses: 1
    made: 1760000256000
    pass: 7
    reason: "free_slot"
    slot: 2
    state: "create"
  - /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":5,"unhealthy":0,"unreachable":0,"wanted":6}

  ~ /default/Resource/ID/fbae27432718000000095ddad54ef4c3/status
    answered: true
    id: "sim-9"

258.000 s, 2 done, 4 quiet (6 decided, last at 257.500 s), 7 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000095ddad54ef4c3/status
    active: 257001
    pass: 8
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":6,"unhealthy":0,"unreachable":0,"wanted":6}

421.000 s, 1 done, 6 quiet (2 decided, last at 408.500 s), 6 lists, 0 other calls, 0 probes
=== one more stops
438.500 s, 1 done (1 decided, last at 438.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[2,62501,67501,"stopped"],"fbae2743271800000002de820479c4a8":[2,62501,67501,"stopped"],"fbae27432718000000034981fbfa71b6":[2,250001,255001,"stopped"],"fbae27432718000000047fa3cb7da0a8":[1,437501,437501,"stopped"]}

443.500 s, 1 done, 1 quiet (2 decided, last at 443.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[2,62501,67501,"stopped"],"fbae2743271800000002de820479c4a8":[2,62501,67501,"stopped"],"fbae27432718000000034981fbfa71b6":[2,250001,255001,"stopped"],"fbae27432718000000047fa3cb7da0a8":[2,437501,442501,"stopped"]}

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    condemned: 442501
    losses: 1
    pass: 9
    reason: "stopped"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":5,"unhealthy":0,"unreachable":0,"wanted":6}

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[10,1,442501]}
  + /default/Resource/ID/fbae274327180000000a1ae5e4a46c97/status
    created: 442501
    generation: "58c2d4f2b51c301b"
    group: "web"
    losses: 1
    made: 1760000443500
    pass: 10
    reason: "free_slot"
    slot: 3
    state: "create"
  - /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":5,"unhealthy":0,"unreachable":0,"wanted":6}

  ~ /default/Resource/ID/fbae274327180000000a1ae5e4a46c97/status
    answered: true
    id: "sim-10"

445.500 s, 2 done, 4 quiet (6 decided, last at 445.000 s), 7 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae274327180000000a1ae5e4a46c97/status
    active: 444501
    pass: 11
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":6,"unhealthy":0,"unreachable":0,"wanted":6}

601.000 s, 1 done, 6 quiet (2 decided, last at 596.000 s), 6 lists, 0 other calls, 0 probes
=== one more stops
626.000 s, 1 done (1 decided, last at 626.000 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[2,62501,67501,"stopped"],"fbae2743271800000002de820479c4a8":[2,62501,67501,"stopped"],"fbae27432718000000034981fbfa71b6":[2,250001,255001,"stopped"],"fbae27432718000000047fa3cb7da0a8":[2,437501,442501,"stopped"],"fbae274327180000000a1ae5e4a46c97":[1,625001,625001,"stopped"]}

631.000 s, 1 done, 1 quiet (2 decided, last at 631.000 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[2,62501,67501,"stopped"],"fbae2743271800000002de820479c4a8":[2,62501,67501,"stopped"],"fbae27432718000000034981fbfa71b6":[2,250001,255001,"stopped"],"fbae27432718000000047fa3cb7da0a8":[2,437501,442501,"stopped"],"fbae274327180000000a1ae5e4a46c97":[2,625001,630001,"stopped"]}

  ~ /default/Resource/ID/fbae274327180000000a1ae5e4a46c97/status
    condemned: 630001
    losses: 2
    pass: 12
    reason: "stopped"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":5,"unhealthy":0,"unreachable":0,"wanted":6}

  ~ /default/Resource/ID/fbae274327180000000a1ae5e4a46c97/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[11,1,630001]}
  + /default/Resource/ID/fbae274327180000000b77a2035ba595/status
    created: 630001
    generation: "58c2d4f2b51c301b"
    group: "web"
    losses: 2
    made: 1760000631000
    pass: 13
    reason: "free_slot"
    slot: 3
    state: "create"
  - /default/Resource/ID/fbae274327180000000a1ae5e4a46c97/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":5,"unhealthy":0,"unreachable":0,"wanted":6}

  ~ /default/Resource/ID/fbae274327180000000b77a2035ba595/status
    answered: true
    id: "sim-11"

633.000 s, 2 done, 4 quiet (6 decided, last at 632.500 s), 7 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae274327180000000b77a2035ba595/status
    active: 632001
    pass: 14
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":6,"unhealthy":0,"unreachable":0,"wanted":6}

6181.000 s, 1 done, 185 quiet (10 decided, last at 6153.500 s), 193 lists, 0 other calls, 0 probes
=== and after the window
6183.500 s, 1 done (1 decided, last at 6183.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[2,62501,67501,"stopped"],"fbae2743271800000002de820479c4a8":[2,62501,67501,"stopped"],"fbae27432718000000034981fbfa71b6":[2,250001,255001,"stopped"],"fbae27432718000000047fa3cb7da0a8":[2,437501,442501,"stopped"],"fbae274327180000000a1ae5e4a46c97":[2,625001,630001,"stopped"],"fbae274327180000000b77a2035ba595":[1,6182501,6182501,"stopped"]}

6188.500 s, 1 done, 1 quiet (2 decided, last at 6188.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[2,62501,67501,"stopped"],"fbae2743271800000002de820479c4a8":[2,62501,67501,"stopped"],"fbae27432718000000034981fbfa71b6":[2,250001,255001,"stopped"],"fbae27432718000000047fa3cb7da0a8":[2,437501,442501,"stopped"],"fbae274327180000000a1ae5e4a46c97":[2,625001,630001,"stopped"],"fbae274327180000000b77a2035ba595":[2,6182501,6187501,"stopped"]}

  ~ /default/Resource/ID/fbae274327180000000b77a2035ba595/status
    condemned: 6187501
    losses: 3
    pass: 15
    reason: "stopped"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":5,"unhealthy":0,"unreachable":0,"wanted":6}

  ~ /default/Resource/ID/fbae274327180000000b77a2035ba595/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[12,1,6187501]}
  + /default/Resource/ID/fbae274327180000000c64dfe452be0f/status
    created: 6187501
    generation: "58c2d4f2b51c301b"
    group: "web"
    losses: 3
    made: 1760006188500
    pass: 16
    reason: "free_slot"
    slot: 3
    state: "create"
  - /default/Resource/ID/fbae274327180000000b77a2035ba595/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":5,"unhealthy":0,"unreachable":0,"wanted":6}

  ~ /default/Resource/ID/fbae274327180000000c64dfe452be0f/status
    answered: true
    id: "sim-12"

6190.500 s, 2 done, 4 quiet (6 decided, last at 6190.000 s), 7 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae274327180000000c64dfe452be0f/status
    active: 6189501
    pass: 17
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":6,"unhealthy":0,"unreachable":0,"wanted":6}

=== the end
6781.000 s, 1 done, 20 quiet (2 decided, last at 6761.000 s), 20 lists, 0 other calls, 0 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 68500 stopped 61000 reboots 0 at 0 'stopped'
sim-10 web/3 {"resourcePlugin":"sim"} zone '' labels  made 443500 ended 631000 stopped 601000 reboots 0 at 0 'stopped'
sim-11 web/3 {"resourcePlugin":"sim"} zone '' labels  made 631000 ended 6188500 stopped 6181000 reboots 0 at 0 'stopped'
sim-12 web/3 {"resourcePlugin":"sim"} zone '' labels  made 6188500 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 68500 stopped 61000 reboots 0 at 0 'stopped'
sim-3 web/2 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 256000 stopped 241000 reboots 0 at 0 'stopped'
sim-4 web/3 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 443500 stopped 421000 reboots 0 at 0 'stopped'
sim-5 web/4 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-6 web/5 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-7 web/0 {"resourcePlugin":"sim"} zone '' labels  made 68500 ended 0 stopped 0 reboots 0 at 0 ''
sim-8 web/1 {"resourcePlugin":"sim"} zone '' labels  made 68500 ended 0 stopped 0 reboots 0 at 0 ''
sim-9 web/2 {"resourcePlugin":"sim"} zone '' labels  made 256000 ended 0 stopped 0 reboots 0 at 0 ''
=== events
cluster.created: actor "ana" groups ["web"] sums {"change":0,"create":6,"destroy":0,"groups":1,"nodes":6,"reboot":0,"replace":0}
machine.wanted: fact "size is 6, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 6, 0 recorded" group "web" node "web-1" pass 1 rule "free_slot" slot 1
machine.wanted: fact "size is 6, 0 recorded" group "web" node "web-2" pass 1 rule "free_slot" slot 2
machine.wanted: fact "size is 6, 0 recorded" group "web" node "web-3" pass 1 rule "free_slot" slot 3
machine.wanted: fact "size is 6, 0 recorded" group "web" node "web-4" pass 1 rule "free_slot" slot 4
machine.wanted: fact "size is 6, 0 recorded" group "web" node "web-5" pass 1 rule "free_slot" slot 5
job.began: fact "job/1"
machine.created: group "web" id "sim-6" node "web-5" pass 1 rule "free_slot" slot 5
machine.created: group "web" id "sim-5" node "web-4" pass 1 rule "free_slot" slot 4
machine.created: group "web" id "sim-4" node "web-3" pass 1 rule "free_slot" slot 3
machine.created: group "web" id "sim-3" node "web-2" pass 1 rule "free_slot" slot 2
machine.created: group "web" id "sim-2" node "web-1" pass 1 rule "free_slot" slot 1
machine.created: group "web" id "sim-1" node "web-0" pass 1 rule "free_slot" slot 0
machine.ready: fact "sim-1 runs" group "web" id "sim-1" node "web-0" pass 2 rule "activate" slot 0
machine.ready: fact "sim-2 runs" group "web" id "sim-2" node "web-1" pass 2 rule "activate" slot 1
machine.ready: fact "sim-3 runs" group "web" id "sim-3" node "web-2" pass 2 rule "activate" slot 2
machine.ready: fact "sim-4 runs" group "web" id "sim-4" node "web-3" pass 2 rule "activate" slot 3
machine.ready: fact "sim-5 runs" group "web" id "sim-5" node "web-4" pass 2 rule "activate" slot 4
machine.ready: fact "sim-6 runs" group "web" id "sim-6" node "web-5" pass 2 rule "activate" slot 5
job.done: fact "job/1"
machine.condemned: fact "2 answers agree" group "web" id "sim-1" node "web-0" pass 3 rule "stopped" slot 0
machine.condemned: fact "2 answers agree" group "web" id "sim-2" node "web-1" pass 3 rule "stopped" slot 1
machine.destroyed: group "web" id "sim-2" node "web-1" pass 3 rule "stopped" slot 1
machine.destroyed: group "web" id "sim-1" node "web-0" pass 3 rule "stopped" slot 0
machine.wanted: fact "size is 6, 4 recorded" group "web" node "web-0" pass 4 rule "free_slot" slot 0
machine.wanted: fact "size is 6, 4 recorded" group "web" node "web-1" pass 4 rule "free_slot" slot 1
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-1" node "web-0" pass 4 rule "forget" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-2" node "web-1" pass 4 rule "forget" slot 1
machine.created: group "web" id "sim-8" node "web-1" pass 4 rule "free_slot" slot 1
machine.created: group "web" id "sim-7" node "web-0" pass 4 rule "free_slot" slot 0
machine.ready: fact "sim-8 runs" group "web" id "sim-8" node "web-1" pass 5 rule "activate" slot 1
machine.ready: fact "sim-7 runs" group "web" id "sim-7" node "web-0" pass 5 rule "activate" slot 0
machine.condemned: fact "2 answers agree" group "web" id "sim-3" node "web-2" pass 6 rule "stopped" slot 2
machine.destroyed: group "web" id "sim-3" node "web-2" pass 6 rule "stopped" slot 2
machine.wanted: fact "size is 6, 5 recorded" group "web" node "web-2" pass 7 rule "free_slot" slot 2
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-3" node "web-2" pass 7 rule "forget" slot 2
machine.created: group "web" id "sim-9" node "web-2" pass 7 rule "free_slot" slot 2
machine.ready: fact "sim-9 runs" group "web" id "sim-9" node "web-2" pass 8 rule "activate" slot 2
machine.condemned: fact "2 answers agree" group "web" id "sim-4" node "web-3" pass 9 rule "stopped" slot 3
machine.destroyed: group "web" id "sim-4" node "web-3" pass 9 rule "stopped" slot 3
machine.wanted: fact "size is 6, 5 recorded" group "web" node "web-3" pass 10 rule "free_slot" slot 3
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-4" node "web-3" pass 10 rule "forget" slot 3
machine.created: group "web" id "sim-10" node "web-3" pass 10 rule "free_slot" slot 3
machine.ready: fact "sim-10 runs" group "web" id "sim-10" node "web-3" pass 11 rule "activate" slot 3
machine.condemned: fact "2 answers agree" group "web" id "sim-10" node "web-3" pass 12 rule "stopped" slot 3
machine.destroyed: group "web" id "sim-10" node "web-3" pass 12 rule "stopped" slot 3
machine.wanted: fact "size is 6, 5 recorded" group "web" node "web-3" pass 13 rule "free_slot" slot 3
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-10" node "web-3" pass 13 rule "forget" slot 3
machine.created: group "web" id "sim-11" node "web-3" pass 13 rule "free_slot" slot 3
machine.ready: fact "sim-11 runs" group "web" id "sim-11" node "web-3" pass 14 rule "activate" slot 3
machine.condemned: fact "2 answers agree" group "web" id "sim-11" node "web-3" pass 15 rule "stopped" slot 3
machine.destroyed: group "web" id "sim-11" node "web-3" pass 15 rule "stopped" slot 3
machine.wanted: fact "size is 6, 5 recorded" group "web" node "web-3" pass 16 rule "free_slot" slot 3
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-11" node "web-3" pass 16 rule "forget" slot 3
machine.created: group "web" id "sim-12" node "web-3" pass 16 rule "free_slot" slot 3
machine.ready: fact "sim-12 runs" group "web" id "sim-12" node "web-3" pass 17 rule "activate" slot 3
