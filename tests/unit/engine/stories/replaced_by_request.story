61.000 s (0 decided, last at 33.500 s), 0 lists, 0 other calls, 0 probes
=== all of a group
=== the change: taken
  + /default/Control/ID/status
    series: {"fbae27432718":[5,1,60001]}
  + /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    created: 60001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000061000
    pass: 3
    reason: "replace"
    slot: 0
    state: "create"
  + /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    active: 2001
    answered: true
    created: 1
    generation: "58c2d4f2b51c301b+replace"
    group: "web"
    id: "sim-2"
    made: 1760000001000
    outdated: true
    pass: 2
    reason: "free_slot"
    slot: 0
    state: "active"
  + /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    active: 2001
    answered: true
    created: 1
    generation: "58c2d4f2b51c301b+replace"
    group: "web"
    id: "sim-3"
    made: 1760000001000
    outdated: true
    pass: 2
    reason: "free_slot"
    slot: 1
    state: "active"
  + /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    active: 2001
    answered: true
    created: 1
    generation: "58c2d4f2b51c301b+replace"
    group: "web"
    id: "sim-4"
    made: 1760000001000
    outdated: true
    pass: 2
    reason: "free_slot"
    slot: 2
    state: "active"
  + /default/Cluster/ID/status
    holds: 0
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":3,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
    observed: 6
  + /default/Job/ID/00000000000000000006/status
    begun: 1760000061000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"batch":1,"canary":0,"creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":3,"outdated":3,"ready":3,"updated":0,"wanted":3}]
    machines: {"creating":1,"leaving":0,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}
    problems: []
    revision: 6
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true
    id: "sim-5"

63.000 s, 1 done, 4 quiet (5 decided, last at 62.500 s), 6 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    active: 62001
    pass: 4
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":3,"ready":5,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"batch":1,"canary":0,"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":3}]
    machines: {"creating":0,"leaving":0,"old":3,"outdated":3,"ready":5,"updated":2,"wanted":4}

63.500 s, 1 done (1 decided, last at 63.000 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    condemned: 62501
    pass: 5
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":3,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"batch":1,"canary":0,"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":1,"old":2,"outdated":2,"ready":3,"updated":1,"wanted":3}]
    machines: {"creating":0,"leaving":1,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":4}

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[6,1,62501]}
  + /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    created: 62501
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000063500
    pass: 6
    reason: "replace"
    slot: 1
    state: "create"
  - /default/Resource/ID/fbae2743271800000002de820479c4a8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":2,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"batch":1,"canary":0,"creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":2,"outdated":2,"ready":3,"updated":1,"wanted":3}]
    machines: {"creating":1,"leaving":0,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":4}

  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    answered: true
    id: "sim-6"

65.500 s, 2 done, 4 quiet (6 decided, last at 65.000 s), 6 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    active: 64501
    pass: 7
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":2,"ready":5,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"batch":1,"canary":0,"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":3}]
    machines: {"creating":0,"leaving":0,"old":2,"outdated":2,"ready":5,"updated":3,"wanted":4}

66.000 s, 1 done (1 decided, last at 65.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    condemned: 65001
    pass: 8
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":2,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"batch":1,"canary":0,"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":1,"old":1,"outdated":1,"ready":3,"updated":2,"wanted":3}]
    machines: {"creating":0,"leaving":1,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":4}

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[7,1,65001]}
  + /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    created: 65001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000066000
    pass: 9
    reason: "replace"
    slot: 2
    state: "create"
  - /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":1,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"batch":1,"canary":0,"creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":1,"outdated":1,"ready":3,"updated":2,"wanted":3}]
    machines: {"creating":1,"leaving":0,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":4}

  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    answered: true
    id: "sim-7"

68.000 s, 2 done, 4 quiet (6 decided, last at 67.500 s), 6 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    active: 67001
    pass: 10
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":1,"ready":5,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"batch":1,"canary":0,"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":3}]
    machines: {"creating":0,"leaving":0,"old":1,"outdated":1,"ready":5,"updated":4,"wanted":4}

68.500 s, 1 done (1 decided, last at 68.000 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    condemned: 67501
    pass: 11
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":1,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":1,"old":0,"ready":3,"updated":3,"wanted":3}]
    machines: {"creating":0,"leaving":1,"old":0,"ready":4,"updated":4,"wanted":4}

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true

  - /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    ended: 1760000068500
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}
    state: "done"

91.000 s, 2 done, 1 quiet (3 decided, last at 73.500 s), 2 lists, 1 other calls, 0 probes
=== one more is requested amid, and the manager dies
  ~ /default/Control/ID/status
    series: {"fbae27432718":[8,1,90001]}
  + /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    created: 90001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000091000
    pass: 13
    reason: "free_slot"
    slot: 3
    state: "create"
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":5}
    observed: 23
  + /default/Job/ID/00000000000000000023/status
    begun: 1760000091000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":3,"updated":3,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":5}
    problems: []
    revision: 23
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    answered: true
    id: "sim-8"

93.000 s, 1 done, 4 quiet (5 decided, last at 92.500 s), 6 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    active: 92001
    pass: 14
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000023/status
    ended: 1760000093000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":5,"updated":5,"wanted":5}
    state: "done"

121.000 s, 1 done, 1 quiet (2 decided, last at 93.500 s), 1 lists, 0 other calls, 0 probes
  + /default/Lease/ID/status
    ahead: -999
    clock: "lab"
    session: "life-2"

721.000 s, 20 quiet (1 decided, last at 691.000 s), 20 lists, 0 other calls, 0 probes
=== two by name, one of them twice
=== the change: taken
  ~ /default/Control/ID/status
    series: {"5ddad54ef4c3":[1,720001,720001],"fbae27432718":[8,1,90001]}
  + /default/Resource/ID/5ddad54ef4c3000000011ae5e4a46c97/status
    created: 720001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000721000
    pass: 15
    reason: "replace"
    slot: 0
    state: "create"
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    generation: "58c2d4f2b51c301b+replace"
    outdated: true
  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    generation: "58c2d4f2b51c301b+replace"
    outdated: true
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":2,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}
    observed: 28
  + /default/Job/ID/00000000000000000028/status
    begun: 1760000721000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"batch":1,"canary":0,"creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":2,"outdated":2,"ready":5,"updated":3,"wanted":5}
    problems: []
    revision: 28
    state: "running"
    waits: []

  ~ /default/Resource/ID/5ddad54ef4c3000000011ae5e4a46c97/status
    answered: true
    id: "sim-9"

723.000 s, 1 done, 4 quiet (5 decided, last at 722.500 s), 6 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/5ddad54ef4c3000000011ae5e4a46c97/status
    active: 722001
    pass: 16
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":2,"ready":6,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000028/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"batch":1,"canary":0,"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":2,"outdated":2,"ready":5,"updated":3,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":2,"outdated":2,"ready":6,"updated":4,"wanted":5}

723.500 s, 1 done (1 decided, last at 723.000 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    condemned: 722501
    pass: 17
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":2,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000028/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"batch":1,"canary":0,"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":1,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":4}]
    machines: {"creating":0,"leaving":1,"old":1,"outdated":1,"ready":5,"updated":4,"wanted":5}

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true

  ~ /default/Control/ID/status
    series: {"5ddad54ef4c3":[2,720001,722501],"fbae27432718":[8,1,90001]}
  + /default/Resource/ID/5ddad54ef4c30000000277a2035ba595/status
    created: 722501
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000723500
    pass: 18
    reason: "replace"
    slot: 2
    state: "create"
  - /default/Resource/ID/fbae27432718000000052c80c771e46a/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":1,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000028/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"batch":1,"canary":0,"creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":1,"outdated":1,"ready":5,"updated":4,"wanted":5}

  ~ /default/Resource/ID/5ddad54ef4c30000000277a2035ba595/status
    answered: true
    id: "sim-10"

725.500 s, 2 done, 4 quiet (6 decided, last at 725.000 s), 6 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/5ddad54ef4c30000000277a2035ba595/status
    active: 724501
    pass: 19
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":1,"ready":6,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000028/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"batch":1,"canary":0,"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":1,"outdated":1,"ready":5,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":1,"outdated":1,"ready":6,"updated":5,"wanted":5}

726.000 s, 1 done (1 decided, last at 725.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    condemned: 725001
    pass: 20
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":1,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000028/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":1,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":1,"old":0,"ready":5,"updated":5,"wanted":5}

  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    answered: true

  - /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000028/status
    ended: 1760000726000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":5,"updated":5,"wanted":5}
    state: "done"

1321.000 s, 2 done, 20 quiet (3 decided, last at 1301.000 s), 21 lists, 1 other calls, 0 probes
=== one that is not there
=== the change: 'shop/web-9' cannot be replaced: the group has no such machine
=== the end
1381.000 s, 2 quiet (1 decided, last at 1361.000 s), 3 lists, 0 other calls, 0 probes
=== machines
sim-1 db/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-10 web/2 {"resourcePlugin":"sim"} zone '' labels  made 723500 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 63500 stopped 0 reboots 0 at 0 'rolled'
sim-3 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 66000 stopped 0 reboots 0 at 0 'rolled'
sim-4 web/2 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 68500 stopped 0 reboots 0 at 0 'rolled'
sim-5 web/0 {"resourcePlugin":"sim"} zone '' labels  made 61000 ended 723500 stopped 0 reboots 0 at 0 'rolled'
sim-6 web/1 {"resourcePlugin":"sim"} zone '' labels  made 63500 ended 0 stopped 0 reboots 0 at 0 ''
sim-7 web/2 {"resourcePlugin":"sim"} zone '' labels  made 66000 ended 726000 stopped 0 reboots 0 at 0 'rolled'
sim-8 web/3 {"resourcePlugin":"sim"} zone '' labels  made 91000 ended 0 stopped 0 reboots 0 at 0 ''
sim-9 web/0 {"resourcePlugin":"sim"} zone '' labels  made 721000 ended 0 stopped 0 reboots 0 at 0 ''
=== events
cluster.created: actor "ana" groups ["db","web"] sums {"change":0,"create":4,"destroy":0,"groups":2,"nodes":4,"reboot":0,"replace":0}
machine.wanted: fact "size is 1, 0 recorded" group "db" node "db-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 3, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 3, 0 recorded" group "web" node "web-1" pass 1 rule "free_slot" slot 1
machine.wanted: fact "size is 3, 0 recorded" group "web" node "web-2" pass 1 rule "free_slot" slot 2
job.began: fact "job/1"
machine.created: group "web" id "sim-4" node "web-2" pass 1 rule "free_slot" slot 2
machine.created: group "web" id "sim-3" node "web-1" pass 1 rule "free_slot" slot 1
machine.created: group "web" id "sim-2" node "web-0" pass 1 rule "free_slot" slot 0
machine.created: group "db" id "sim-1" node "db-0" pass 1 rule "free_slot" slot 0
machine.ready: fact "sim-1 runs" group "db" id "sim-1" node "db-0" pass 2 rule "activate" slot 0
machine.ready: fact "sim-2 runs" group "web" id "sim-2" node "web-0" pass 2 rule "activate" slot 0
machine.ready: fact "sim-3 runs" group "web" id "sim-3" node "web-1" pass 2 rule "activate" slot 1
machine.ready: fact "sim-4 runs" group "web" id "sim-4" node "web-2" pass 2 rule "activate" slot 2
job.done: fact "job/1"
cluster.changed: actor "ana" fact "to be replaced: *" groups ["web"] sums {"change":0,"create":0,"destroy":0,"groups":1,"nodes":3,"reboot":0,"replace":3}
machine.wanted: fact "in place of sim-2" group "web" node "web-0" pass 3 rule "replace" slot 0
job.began: fact "job/6"
machine.created: group "web" id "sim-5" node "web-0" pass 3 rule "replace" slot 0
machine.ready: fact "sim-5 runs" group "web" id "sim-5" node "web-0" pass 4 rule "activate" slot 0
machine.condemned: fact "sim-5 is in service" group "web" id "sim-2" node "web-0" pass 5 rule "rolled" slot 0
machine.destroyed: group "web" id "sim-2" node "web-0" pass 5 rule "rolled" slot 0
machine.wanted: fact "in place of sim-3" group "web" node "web-1" pass 6 rule "replace" slot 1
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-2" node "web-0" pass 6 rule "forget" slot 0
machine.created: group "web" id "sim-6" node "web-1" pass 6 rule "replace" slot 1
machine.ready: fact "sim-6 runs" group "web" id "sim-6" node "web-1" pass 7 rule "activate" slot 1
machine.condemned: fact "sim-6 is in service" group "web" id "sim-3" node "web-1" pass 8 rule "rolled" slot 1
machine.destroyed: group "web" id "sim-3" node "web-1" pass 8 rule "rolled" slot 1
machine.wanted: fact "in place of sim-4" group "web" node "web-2" pass 9 rule "replace" slot 2
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-3" node "web-1" pass 9 rule "forget" slot 1
machine.created: group "web" id "sim-7" node "web-2" pass 9 rule "replace" slot 2
machine.ready: fact "sim-7 runs" group "web" id "sim-7" node "web-2" pass 10 rule "activate" slot 2
machine.condemned: fact "sim-7 is in service" group "web" id "sim-4" node "web-2" pass 11 rule "rolled" slot 2
machine.destroyed: group "web" id "sim-4" node "web-2" pass 11 rule "rolled" slot 2
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-4" node "web-2" pass 12 rule "forget" slot 2
job.done: fact "job/6"
cluster.changed: actor "ana" groups ["web"] sums {"change":0,"create":1,"destroy":0,"groups":1,"nodes":4,"reboot":0,"replace":0}
machine.wanted: fact "size is 4, 3 recorded" group "web" node "web-3" pass 13 rule "free_slot" slot 3
job.began: fact "job/23"
machine.created: group "web" id "sim-8" node "web-3" pass 13 rule "free_slot" slot 3
machine.ready: fact "sim-8 runs" group "web" id "sim-8" node "web-3" pass 14 rule "activate" slot 3
job.done: fact "job/23"
cluster.changed: actor "ana" fact "to be replaced: web-0,web-2,web-0" groups ["web"] sums {"change":0,"create":0,"destroy":0,"groups":1,"nodes":4,"reboot":0,"replace":2}
machine.wanted: fact "in place of sim-5" group "web" node "web-0" pass 15 rule "replace" slot 0
job.began: fact "job/28"
machine.created: group "web" id "sim-9" node "web-0" pass 15 rule "replace" slot 0
machine.ready: fact "sim-9 runs" group "web" id "sim-9" node "web-0" pass 16 rule "activate" slot 0
machine.condemned: fact "sim-9 is in service" group "web" id "sim-5" node "web-0" pass 17 rule "rolled" slot 0
machine.destroyed: group "web" id "sim-5" node "web-0" pass 17 rule "rolled" slot 0
machine.wanted: fact "in place of sim-7" group "web" node "web-2" pass 18 rule "replace" slot 2
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-5" node "web-0" pass 18 rule "forget" slot 0
machine.created: group "web" id "sim-10" node "web-2" pass 18 rule "replace" slot 2
machine.ready: fact "sim-10 runs" group "web" id "sim-10" node "web-2" pass 19 rule "activate" slot 2
machine.condemned: fact "sim-10 is in service" group "web" id "sim-7" node "web-2" pass 20 rule "rolled" slot 2
machine.destroyed: group "web" id "sim-7" node "web-2" pass 20 rule "rolled" slot 2
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-7" node "web-2" pass 21 rule "forget" slot 2
job.done: fact "job/28"
