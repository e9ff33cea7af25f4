1.000 s (0 decided, last at 0.000 s), 0 lists, 0 other calls, 0 probes
  + /default/Lease/ID/status
    ahead: -999
    clock: "lab"
    session: "life-1"

  + /default/Control/ID/status
    series: {"fbae27432718":[3,1,1]}
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
    problems: []
    revision: 1
    state: "running"
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

3.000 s, 1 done, 4 quiet (5 decided, last at 2.500 s), 6 lists, 3 other calls, 0 probes
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

61.000 s, 1 done, 2 quiet (2 decided, last at 33.500 s), 2 lists, 0 other calls, 0 probes
=== a record is lost, and an operator spares its machine
  - /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status

63.500 s (0 decided, last at 33.500 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    series: {"fbae27432718":[4,1,62501]}
    sighted: {"sim-1":[1,62501,62501]}
  + /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    created: 62501
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000063500
    pass: 3
    reason: "free_slot"
    slot: 0
    state: "create"
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":3}

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true
    id: "sim-4"

65.500 s, 5 done (5 decided, last at 65.000 s), 5 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    active: 64501
    pass: 4
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}

126.000 s, 3 done (3 decided, last at 96.000 s), 3 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    sighted: {"sim-1":[2,62501,125001]}

186.000 s, 2 done (2 decided, last at 156.000 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    sighted: {"sim-1":[3,62501,185001]}

246.000 s, 2 done (2 decided, last at 216.000 s), 2 lists, 0 other calls, 0 probes
  + /default/Hold/ID/quarantine/status
    cluster: "shop"
    fact: "1 machine that nobody requested"
    pass: 5
    rule: "quarantine"
    since: 1760000246000
    sources: ["sim"]
    wouldCreate: 0
    wouldDestroy: 1
  ~ /default/Cluster/ID/status
    holds: 1

=== quarantine of shop is answered
361.000 s, 4 held (4 decided, last at 336.000 s), 4 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    sighted: {"sim-1":[3,62501,185001,"spared"]}
  - /default/Hold/ID/quarantine/status
  ~ /default/Cluster/ID/status
    holds: 0

1561.000 s, 41 quiet (41 decided, last at 1531.000 s), 40 lists, 0 other calls, 0 probes
=== another one is lost, and goes in its time
  - /default/Resource/ID/fbae2743271800000002de820479c4a8/status

  ~ /default/Control/ID/status
    series: {"fbae27432718":[5,1,1560001]}
    sighted: {"sim-1":[3,62501,185001,"spared"],"sim-2":[1,1560001,1560001]}
  + /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    created: 1560001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760001561000
    pass: 7
    reason: "free_slot"
    slot: 1
    state: "create"
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":3}

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true
    id: "sim-5"

1563.000 s, 5 done (5 decided, last at 1562.500 s), 6 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    active: 1562001
    pass: 8
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}

1623.500 s, 3 done (3 decided, last at 1593.500 s), 3 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    sighted: {"sim-1":[3,62501,185001,"spared"],"sim-2":[2,1560001,1622501]}

1683.500 s, 2 done (2 decided, last at 1653.500 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    sighted: {"sim-1":[3,62501,185001,"spared"],"sim-2":[3,1560001,1682501]}

1743.500 s, 2 done (2 decided, last at 1713.500 s), 2 lists, 0 other calls, 0 probes
  + /default/Hold/ID/quarantine/status
    cluster: "shop"
    fact: "1 machine that nobody requested"
    pass: 9
    rule: "quarantine"
    since: 1760001743500
    sources: ["sim"]
    wouldCreate: 0
    wouldDestroy: 1
  ~ /default/Cluster/ID/status
    holds: 1

2343.500 s, 20 held (20 decided, last at 2313.500 s), 20 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    series: {"fbae27432718":[6,1,2342501]}
    spent: [[1,2342501]]
  + /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    condemned: 2342501
    created: 2342501
    generation: "58c2d4f2b51c301b"
    group: "web"
    id: "sim-2"
    made: 1760002343500
    pass: 10
    reason: "orphan"
    slot: 1
    state: "delete"
  - /default/Hold/ID/quarantine/status
  ~ /default/Cluster/ID/status
    holds: 0
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}

  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    answered: true

  ~ /default/Control/ID/status
    sighted: {"sim-1":[3,62501,185001,"spared"]}
  - /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}

5161.000 s, 2 done, 94 quiet (96 decided, last at 5138.500 s), 95 lists, 1 other calls, 0 probes
=== the cluster is deleted while one is unknown
  - /default/Resource/ID/fbae27432718000000034981fbfa71b6/status

5168.500 s (0 decided, last at 5138.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    series: {"fbae27432718":[7,1,5167501]}
    sighted: {"sim-1":[3,62501,185001,"spared"],"sim-3":[1,5167501,5167501]}
  + /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    created: 5167501
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760005168500
    pass: 12
    reason: "free_slot"
    slot: 2
    state: "create"
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":3}

  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    answered: true
    id: "sim-6"

5170.500 s, 5 done (5 decided, last at 5170.000 s), 5 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    active: 5169501
    pass: 13
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}

5231.000 s, 3 done (3 decided, last at 5201.000 s), 3 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    sighted: {"sim-1":[3,62501,185001,"spared"],"sim-3":[2,5167501,5230001]}

5281.000 s, 2 done (2 decided, last at 5261.000 s), 1 lists, 0 other calls, 0 probes
  - /default/Cluster/ID/status

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
    cluster: "shop"
    fact: "sim-3, which nobody requested, was seen: until listings have lacked it for 20 min"
    pass: 14
    rule: "lingering"
    since: 1760005281000
    wouldCreate: 0
    wouldDestroy: 0
  + /default/Job/ID/00000000000000000030/status
    begun: 1760005281000
    cluster: "shop"
    groups: [{"creating":0,"generations":[],"group":"web","leaving":3,"old":0,"ready":0,"updated":0,"wanted":0}]
    machines: {"creating":0,"leaving":3,"old":0,"ready":0,"updated":0,"wanted":0}
    problems: []
    revision: 30
    state: "running"
    waits: ["lingering"]

  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    answered: true
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true

5311.000 s, 2 done (2 decided, last at 5281.000 s), 3 lists, 3 other calls, 0 probes
  ~ /default/Control/ID/status
    sighted: {"sim-1":[3,62501,185001,"spared"],"sim-3":[3,5167501,5310001]}

5371.000 s, 2 done (2 decided, last at 5341.000 s), 2 lists, 0 other calls, 0 probes
  + /default/Hold/ID/quarantine/status
    cluster: "shop"
    fact: "1 machine that nobody requested"
    pass: 15
    rule: "quarantine"
    since: 1760005371000
    sources: ["sim"]
    wouldCreate: 0
    wouldDestroy: 1
  ~ /default/Job/ID/00000000000000000030/status
    waits: ["quarantine","lingering"]

5971.000 s, 20 held (20 decided, last at 5941.000 s), 20 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    series: {"fbae27432718":[8,1,5970001]}
    spent: [[1,5970001]]
  + /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    condemned: 5970001
    created: 5970001
    group: "web"
    id: "sim-3"
    made: 1760005971000
    pass: 16
    reason: "orphan"
    slot: 2
    state: "delete"
  - /default/Hold/ID/quarantine/status
  ~ /default/Job/ID/00000000000000000030/status
    waits: ["lingering"]

  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    answered: true

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

5976.000 s, 2 done (2 decided, last at 5971.000 s), 1 lists, 1 other calls, 0 probes
  - /default/Control/ID/status

=== the end
8881.000 s, 1 quiet (1 decided, last at 5976.000 s), 0 lists, 0 other calls, 0 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 2343500 stopped 0 reboots 0 at 0 'orphan'
sim-3 web/2 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 5971000 stopped 0 reboots 0 at 0 'orphan'
sim-4 web/0 {"resourcePlugin":"sim"} zone '' labels  made 63500 ended 5281000 stopped 0 reboots 0 at 0 'scale_in'
sim-5 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1561000 ended 5281000 stopped 0 reboots 0 at 0 'scale_in'
sim-6 web/2 {"resourcePlugin":"sim"} zone '' labels  made 5168500 ended 5281000 stopped 0 reboots 0 at 0 'scale_in'
=== events
cluster.created: actor "ana" groups ["web"] sums {"change":0,"create":3,"destroy":0,"groups":1,"nodes":3,"reboot":0,"replace":0}
machine.wanted: fact "size is 3, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 3, 0 recorded" group "web" node "web-1" pass 1 rule "free_slot" slot 1
machine.wanted: fact "size is 3, 0 recorded" group "web" node "web-2" pass 1 rule "free_slot" slot 2
job.began: fact "job/1"
machine.created: group "web" id "sim-3" node "web-2" pass 1 rule "free_slot" slot 2
machine.created: group "web" id "sim-2" node "web-1" pass 1 rule "free_slot" slot 1
machine.created: group "web" id "sim-1" node "web-0" pass 1 rule "free_slot" slot 0
machine.ready: fact "sim-1 runs" group "web" id "sim-1" node "web-0" pass 2 rule "activate" slot 0
machine.ready: fact "sim-2 runs" group "web" id "sim-2" node "web-1" pass 2 rule "activate" slot 1
machine.ready: fact "sim-3 runs" group "web" id "sim-3" node "web-2" pass 2 rule "activate" slot 2
job.done: fact "job/1"
machine.wanted: fact "size is 3, 2 recorded" group "web" node "web-0" pass 3 rule "free_slot" slot 0
machine.created: group "web" id "sim-4" node "web-0" pass 3 rule "free_slot" slot 0
machine.ready: fact "sim-4 runs" group "web" id "sim-4" node "web-0" pass 4 rule "activate" slot 0
hold.began: fact "1 machine that nobody requested" pass 5 rule "quarantine"
hold.rejected: actor "ana" rule "quarantine"
hold.ended: pass 6 rule "quarantine"
machine.wanted: fact "size is 3, 2 recorded" group "web" node "web-1" pass 7 rule "free_slot" slot 1
machine.created: group "web" id "sim-5" node "web-1" pass 7 rule "free_slot" slot 1
machine.ready: fact "sim-5 runs" group "web" id "sim-5" node "web-1" pass 8 rule "activate" slot 1
hold.began: fact "1 machine that nobody requested" pass 9 rule "quarantine"
machine.condemned: fact "3 sightings" group "web" id "sim-2" node "web-1" pass 10 rule "orphan" slot 1
hold.ended: pass 10 rule "quarantine"
machine.destroyed: group "web" id "sim-2" node "web-1" pass 10 rule "orphan" slot 1
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-2" node "web-1" pass 11 rule "forget" slot 1
machine.wanted: fact "size is 3, 2 recorded" group "web" node "web-2" pass 12 rule "free_slot" slot 2
machine.created: group "web" id "sim-6" node "web-2" pass 12 rule "free_slot" slot 2
machine.ready: fact "sim-6 runs" group "web" id "sim-6" node "web-2" pass 13 rule "activate" slot 2
cluster.deleted: actor "ana" groups ["web"] sums {"change":0,"create":0,"destroy":3,"groups":0,"nodes":0,"reboot":0,"replace":0}
machine.condemned: fact "size is 0" group "web" id "sim-5" node "web-1" pass 14 rule "scale_in" slot 1
machine.condemned: fact "size is 0" group "web" id "sim-4" node "web-0" pass 14 rule "scale_in" slot 0
machine.condemned: fact "size is 0" group "web" id "sim-6" node "web-2" pass 14 rule "scale_in" slot 2
hold.began: fact "sim-3, which nobody requested, was seen: until listings have lacked it for 20 min" pass 14 rule "lingering"
job.began: fact "job/30"
machine.destroyed: group "web" id "sim-6" node "web-2" pass 14 rule "scale_in" slot 2
machine.destroyed: group "web" id "sim-4" node "web-0" pass 14 rule "scale_in" slot 0
machine.destroyed: group "web" id "sim-5" node "web-1" pass 14 rule "scale_in" slot 1
hold.began: fact "1 machine that nobody requested" pass 15 rule "quarantine"
machine.condemned: fact "3 sightings" group "web" id "sim-3" pass 16 rule "orphan" slot 2
hold.ended: pass 16 rule "quarantine"
machine.destroyed: group "web" id "sim-3" pass 16 rule "orphan" slot 2
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-5" node "web-1" pass 17 rule "forget" slot 1
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-4" node "web-0" pass 17 rule "forget" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-6" node "web-2" pass 17 rule "forget" slot 2
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-3" pass 17 rule "forget" slot 2
hold.ended: pass 17 rule "lingering"
job.done: fact "job/30"
