1.000 s (0 decided, last at 0.000 s), 0 lists, 0 other calls, 0 probes
  + /default/Lease/ID/status
    ahead: -999
    clock: "lab"
    session: "life-1"

  + /default/Control/ID/status
    series: {"fbae27432718":[6,1,1]}
  + /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    created: 1
    generation: "fdc03c18b2410552"
    group: "db"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 0
    state: "create"
  + /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    created: 1
    generation: "fdc03c18b2410552"
    group: "db"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 1
    state: "create"
  + /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    created: 1
    generation: "fdc03c18b2410552"
    group: "db"
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
    slot: 0
    state: "create"
  + /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 1
    state: "create"
  + /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
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
    machines: {"creating":6,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":6}
    observed: 1
  + /default/Job/ID/00000000000000000001/status
    begun: 1760000001000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":3,"generations":["fdc03c18b2410552"],"group":"db","leaving":0,"old":0,"ready":0,"updated":0,"wanted":3},{"creating":3,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":3}]
    machines: {"creating":6,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":6}
    problems: []
    revision: 1
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true
    id: "sim-103"
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true
    id: "sim-102"
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true
    id: "sim-101"
  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    answered: true
    id: "sim-3"
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true
    id: "sim-2"
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
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
    groups: [{"creating":0,"generations":["fdc03c18b2410552"],"group":"db","leaving":0,"old":0,"ready":3,"updated":3,"wanted":3},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":6,"updated":6,"wanted":6}
    state: "done"

61.000 s, 1 done, 2 quiet (2 decided, last at 33.500 s), 2 lists, 0 other calls, 0 probes
=== a machine with our tags at one of them, then at the other, and then at both
63.500 s (0 decided, last at 33.500 s), 2 lists, 0 other calls, 0 probes
  + /default/Hold/ID/foreign/status
    cluster: "shop"
    fact: "1 machine with tags of reeve that this reeve did not create"
    pass: 3
    rule: "foreign"
    since: 1760000063500
    sources: ["sim"]
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1

183.500 s, 4 held (4 decided, last at 153.500 s), 4 lists, 0 other calls, 0 probes
  ~ /default/Hold/ID/foreign/status
    pass: 4
    sources: ["other"]

303.500 s, 4 held (4 decided, last at 273.500 s), 4 lists, 0 other calls, 0 probes
  ~ /default/Hold/ID/foreign/status
    fact: "2 machines with tags of reeve that this reeve did not create"
    pass: 5
    sources: ["other","sim"]

421.000 s, 4 held (4 decided, last at 393.500 s), 3 lists, 0 other calls, 0 probes
=== the other one fails, and its machine is gone meanwhile
423.500 s (0 decided, last at 393.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    unheard: {"other":[1,422501,422501]}
  ~ /default/Hold/ID/foreign/status
    fact: "1 machine with tags of reeve that this reeve did not create"
    pass: 6

601.000 s, 6 unheard (6 decided, last at 573.500 s), 5 lists, 0 other calls, 0 probes
=== that of the first one is gone as well
603.500 s (0 decided, last at 573.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Cluster/ID/status
    holds: 0

783.500 s, 6 unheard (6 decided, last at 753.500 s), 6 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    unheard: (none)
  - /default/Hold/ID/foreign/status

1081.000 s, 10 quiet (2 decided, last at 1053.500 s), 9 lists, 0 other calls, 0 probes
=== most machines of db are gone, and the first one fails
1083.500 s (0 decided, last at 1053.500 s), 2 lists, 0 other calls, 0 probes
  + /default/Hold/ID/listing_brake/db/status
    cluster: "shop"
    fact: "2 of 3 machines are missing"
    group: "db"
    observation: "2-31395b3f0025c74c"
    pass: 8
    rule: "listing_brake"
    since: 1760001083500
    wouldCreate: 2
    wouldDestroy: 2
  ~ /default/Cluster/ID/status
    holds: 1

  + /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[1,1082501,1082501,"gone"]}

  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[1,1082501,1082501,"gone"],"fbae27432718000000034981fbfa71b6":[1,1082501,1082501,"gone"]}

1088.500 s, 2 done, 1 held (3 decided, last at 1083.500 s), 3 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    unheard: {"sim":[1,1087501,1087501]}
  + /default/Hold/ID/listing_brake/status
    cluster: "shop"
    fact: "2 of 3 machines are missing"
    observation: "2-31395b3f0025c74c"
    pass: 9
    rule: "listing_brake"
    since: 1760001088500
    sources: ["other"]
    wouldCreate: 2
    wouldDestroy: 2
  ~ /default/Cluster/ID/status
    holds: 2

  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[2,1082501,1087501,"gone"],"fbae27432718000000034981fbfa71b6":[1,1082501,1082501,"gone"]}

  ~ /default/Control/ID/db/status
    absent: {"fbae27432718000000014bd8c442c5f8":[1,1087501,1087501],"fbae27432718000000034981fbfa71b6":[1,1087501,1087501]}
  - /default/Hold/ID/listing_brake/status
  - /default/Hold/ID/listing_brake/db/status
  ~ /default/Cluster/ID/status
    holds: 0

=== listing_brake of shop/db is not there
1153.500 s, 4 unheard (4 decided, last at 1123.500 s), 4 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/db/status
    absent: {"fbae27432718000000014bd8c442c5f8":[2,1087501,1152501],"fbae27432718000000034981fbfa71b6":[2,1087501,1152501]}

1183.500 s, 2 unheard (2 decided, last at 1183.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[3,1082501,1182501,"gone"],"fbae27432718000000034981fbfa71b6":[2,1082501,1182501,"gone"]}

1188.500 s, 2 unheard (2 decided, last at 1188.500 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[4,1082501,1187501,"gone"],"fbae27432718000000034981fbfa71b6":[3,1082501,1187501,"gone"]}

1193.500 s, 2 unheard (2 decided, last at 1193.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[5,1082501,1192501,"gone"],"fbae27432718000000034981fbfa71b6":[4,1082501,1192501,"gone"]}

1198.500 s, 2 unheard (2 decided, last at 1198.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[6,1082501,1197501,"gone"],"fbae27432718000000034981fbfa71b6":[5,1082501,1197501,"gone"]}

1203.500 s, 2 unheard (2 decided, last at 1203.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[7,1082501,1202501,"gone"],"fbae27432718000000034981fbfa71b6":[6,1082501,1202501,"gone"]}

1208.500 s, 2 unheard (2 decided, last at 1208.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[8,1082501,1207501,"gone"],"fbae27432718000000034981fbfa71b6":[7,1082501,1207501,"gone"]}

1213.500 s, 1 unheard (1 decided, last at 1208.500 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/db/status
    absent: {"fbae27432718000000014bd8c442c5f8":[3,1087501,1212501],"fbae27432718000000034981fbfa71b6":[3,1087501,1212501]}

  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[9,1082501,1212501,"gone"],"fbae27432718000000034981fbfa71b6":[8,1082501,1212501,"gone"]}

1218.500 s, 3 unheard (3 decided, last at 1218.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[10,1082501,1217501,"gone"],"fbae27432718000000034981fbfa71b6":[9,1082501,1217501,"gone"]}

1223.500 s, 2 unheard (2 decided, last at 1223.500 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[11,1082501,1222501,"gone"],"fbae27432718000000034981fbfa71b6":[10,1082501,1222501,"gone"]}

1228.500 s, 2 unheard (2 decided, last at 1228.500 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[12,1082501,1227501,"gone"],"fbae27432718000000034981fbfa71b6":[11,1082501,1227501,"gone"]}

1233.500 s, 2 unheard (2 decided, last at 1233.500 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[13,1082501,1232501,"gone"],"fbae27432718000000034981fbfa71b6":[12,1082501,1232501,"gone"]}

1238.500 s, 2 unheard (2 decided, last at 1238.500 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[14,1082501,1237501,"gone"],"fbae27432718000000034981fbfa71b6":[13,1082501,1237501,"gone"]}

1243.500 s, 2 unheard (2 decided, last at 1243.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[15,1082501,1242501,"gone"],"fbae27432718000000034981fbfa71b6":[14,1082501,1242501,"gone"]}

1248.500 s, 2 unheard (2 decided, last at 1248.500 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[16,1082501,1247501,"gone"],"fbae27432718000000034981fbfa71b6":[15,1082501,1247501,"gone"]}

1253.500 s, 2 unheard (2 decided, last at 1253.500 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[17,1082501,1252501,"gone"],"fbae27432718000000034981fbfa71b6":[16,1082501,1252501,"gone"]}

1258.500 s, 2 unheard (2 decided, last at 1258.500 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[18,1082501,1257501,"gone"],"fbae27432718000000034981fbfa71b6":[17,1082501,1257501,"gone"]}

1263.500 s, 2 unheard (2 decided, last at 1263.500 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[19,1082501,1262501,"gone"],"fbae27432718000000034981fbfa71b6":[18,1082501,1262501,"gone"]}

1268.500 s, 1 unheard (1 decided, last at 1263.500 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    condemned: 1267501
    pass: 11
    reason: "lost"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    condemned: 1267501
    pass: 11
    reason: "lost"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":2,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":6}

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[8,1,1267501]}
  + /default/Resource/ID/fbae2743271800000007bebacb832b0a/status
    created: 1267501
    generation: "fdc03c18b2410552"
    group: "db"
    made: 1760001268500
    pass: 12
    reason: "free_slot"
    slot: 0
    state: "create"
  + /default/Resource/ID/fbae27432718000000084655a5d889ab/status
    created: 1267501
    generation: "fdc03c18b2410552"
    group: "db"
    made: 1760001268500
    pass: 12
    reason: "free_slot"
    slot: 2
    state: "create"
  - /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
  - /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
  ~ /default/Cluster/ID/status
    machines: {"creating":2,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":6}

  ~ /default/Resource/ID/fbae27432718000000084655a5d889ab/status
    answered: true
    id: "sim-106"
  ~ /default/Resource/ID/fbae2743271800000007bebacb832b0a/status
    answered: true
    id: "sim-105"

1270.500 s, 6 unheard (6 decided, last at 1270.000 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000084655a5d889ab/status
    active: 1269501
    pass: 13
    state: "active"
  ~ /default/Resource/ID/fbae2743271800000007bebacb832b0a/status
    active: 1269501
    pass: 13
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":6,"unhealthy":0,"unreachable":0,"wanted":6}

1301.000 s, 2 unheard (2 decided, last at 1271.000 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    unheard: (none)

1864.000 s, 19 quiet (2 decided, last at 1841.000 s), 18 lists, 0 other calls, 0 probes
=== a record of each is lost
  - /default/Resource/ID/fbae2743271800000002de820479c4a8/status

1871.000 s (0 decided, last at 1841.000 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    series: {"fbae27432718":[9,1,1870001]}
    sighted: {"sim-102":[1,1870001,1870001]}
  + /default/Resource/ID/fbae2743271800000009e80268787167/status
    created: 1870001
    generation: "fdc03c18b2410552"
    group: "db"
    made: 1760001871000
    pass: 14
    reason: "free_slot"
    slot: 1
    state: "create"
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":5,"unhealthy":0,"unreachable":0,"wanted":6}

  ~ /default/Resource/ID/fbae2743271800000009e80268787167/status
    answered: true
    id: "sim-107"

1873.000 s, 5 done (5 decided, last at 1872.500 s), 5 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000009e80268787167/status
    active: 1872001
    pass: 15
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":6,"unhealthy":0,"unreachable":0,"wanted":6}

1933.500 s, 3 done (3 decided, last at 1903.500 s), 3 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    sighted: {"sim-102":[2,1870001,1932501]}

1993.500 s, 2 done (2 decided, last at 1963.500 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    sighted: {"sim-102":[3,1870001,1992501]}

2053.500 s, 2 done (2 decided, last at 2023.500 s), 2 lists, 0 other calls, 0 probes
  + /default/Hold/ID/quarantine/status
    cluster: "shop"
    fact: "1 machine that nobody requested"
    pass: 16
    rule: "quarantine"
    since: 1760002053500
    sources: ["other"]
    wouldCreate: 0
    wouldDestroy: 1
  ~ /default/Cluster/ID/status
    holds: 1

2173.500 s, 4 held (4 decided, last at 2143.500 s), 4 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    unheard: {"other":[1,2172501,2172501]}
  ~ /default/Cluster/ID/status
    holds: 0

2464.000 s, 10 unheard (10 decided, last at 2443.500 s), 9 lists, 0 other calls, 0 probes
=== the cluster is deleted while the first one fails
  - /default/Cluster/ID/status

  ~ /default/Control/ID/status
    unheard: {"sim":[1,2463001,2463001]}
  ~ /default/Resource/ID/fbae27432718000000084655a5d889ab/status
    condemned: 2463001
    pass: 17
    reason: "scale_in"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae2743271800000007bebacb832b0a/status
    condemned: 2463001
    pass: 17
    reason: "scale_in"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae2743271800000009e80268787167/status
    condemned: 2463001
    pass: 17
    reason: "scale_in"
    state: "delete"
    answered: (none)
  + /default/Hold/ID/lingering/status
    cluster: "shop"
    fact: "sim-102, which nobody requested, was seen: until listings have lacked it for 20 min"
    pass: 17
    rule: "lingering"
    since: 1760002464000
    wouldCreate: 0
    wouldDestroy: 0
  + /default/Job/ID/00000000000000000051/status
    begun: 1760002464000
    cluster: "shop"
    groups: [{"creating":0,"generations":[],"group":"db","leaving":3,"old":0,"ready":0,"updated":0,"wanted":0},{"batch":0,"canary":0,"creating":0,"generations":[],"group":"web","leaving":0,"old":3,"ready":3,"updated":3,"wanted":0}]
    machines: {"creating":0,"leaving":3,"old":3,"ready":3,"updated":3,"wanted":0}
    problems: []
    revision: 51
    state: "running"
    waits: ["quarantine","lingering"]

  ~ /default/Resource/ID/fbae2743271800000009e80268787167/status
    answered: true
  ~ /default/Resource/ID/fbae2743271800000007bebacb832b0a/status
    answered: true
  ~ /default/Resource/ID/fbae27432718000000084655a5d889ab/status
    answered: true

2674.000 s, 8 unheard (8 decided, last at 2644.000 s), 9 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    series: {"fbae27432718":[10,1,2673001]}
    spent: [[1,2673001]]
  + /default/Resource/ID/fbae274327180000000aa90894fbb679/status
    condemned: 2673001
    created: 2673001
    group: "db"
    id: "sim-102"
    made: 1760002674000
    pass: 18
    reason: "orphan"
    slot: 1
    state: "delete"
  - /default/Hold/ID/quarantine/status
  ~ /default/Job/ID/00000000000000000051/status
    waits: ["lingering"]

  ~ /default/Resource/ID/fbae274327180000000aa90894fbb679/status
    answered: true

  ~ /default/Control/ID/status
    sighted: (none)
  - /default/Resource/ID/fbae27432718000000084655a5d889ab/status
  - /default/Resource/ID/fbae2743271800000007bebacb832b0a/status
  - /default/Resource/ID/fbae2743271800000009e80268787167/status
  - /default/Resource/ID/fbae274327180000000aa90894fbb679/status
  - /default/Hold/ID/lingering/status
  ~ /default/Job/ID/00000000000000000051/status
    groups: [{"batch":0,"canary":0,"creating":0,"generations":[],"group":"web","leaving":0,"old":3,"ready":3,"updated":3,"wanted":0}]
    machines: {"creating":0,"leaving":0,"old":3,"ready":3,"updated":3,"wanted":0}
    waits: []

3215.254 s, 4 unheard (4 decided, last at 2929.383 s), 3 lists, 0 other calls, 0 probes
  + /default/Hold/ID/unlisted/status
    cluster: "shop"
    fact: "sim: transient; unmanaged: 3 machines"
    pass: 20
    rule: "unlisted"
    since: 1760003215254
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Job/ID/00000000000000000051/status
    state: "waiting"
    waits: ["unlisted"]

3685.063 s, 2 unheard (2 decided, last at 3432.633 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    unheard: (none)
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    condemned: 3684064
    pass: 21
    reason: "scale_in"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    condemned: 3684064
    pass: 21
    reason: "scale_in"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    condemned: 3684064
    pass: 21
    reason: "scale_in"
    state: "delete"
    answered: (none)
  - /default/Hold/ID/unlisted/status
  ~ /default/Job/ID/00000000000000000051/status
    groups: [{"creating":0,"generations":[],"group":"web","leaving":3,"old":0,"ready":0,"updated":0,"wanted":0}]
    machines: {"creating":0,"leaving":3,"old":0,"ready":0,"updated":0,"wanted":0}
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true
  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    answered: true
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true

  - /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
  - /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
  - /default/Resource/ID/fbae27432718000000052c80c771e46a/status
  ~ /default/Job/ID/00000000000000000051/status
    ended: 1760003685063
    groups: []
    machines: {"creating":0,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":0}
    state: "done"

3690.063 s, 2 done (2 decided, last at 3685.063 s), 1 lists, 3 other calls, 0 probes
  - /default/Control/ID/status
  - /default/Control/ID/db/status

=== the end
7264.000 s, 1 quiet (1 decided, last at 3690.063 s), 0 lists, 0 other calls, 0 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 3685063 stopped 0 reboots 0 at 0 'scale_in'
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 3685063 stopped 0 reboots 0 at 0 'scale_in'
sim-3 web/2 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 3685063 stopped 0 reboots 0 at 0 'scale_in'
sim-4 web/0  zone '' labels  made 61000 ended 181000 stopped 0 reboots 0 at 0 ''
sim-5 web/0  zone '' labels  made 301000 ended 601000 stopped 0 reboots 0 at 0 ''
=== events
cluster.created: actor "ana" groups ["db","web"] sums {"change":0,"create":6,"destroy":0,"groups":2,"nodes":6,"reboot":0,"replace":0}
machine.wanted: fact "size is 3, 0 recorded" group "db" node "db-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 3, 0 recorded" group "db" node "db-1" pass 1 rule "free_slot" slot 1
machine.wanted: fact "size is 3, 0 recorded" group "db" node "db-2" pass 1 rule "free_slot" slot 2
machine.wanted: fact "size is 3, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 3, 0 recorded" group "web" node "web-1" pass 1 rule "free_slot" slot 1
machine.wanted: fact "size is 3, 0 recorded" group "web" node "web-2" pass 1 rule "free_slot" slot 2
job.began: fact "job/1"
machine.created: group "db" id "sim-103" node "db-2" pass 1 rule "free_slot" slot 2
machine.created: group "db" id "sim-102" node "db-1" pass 1 rule "free_slot" slot 1
machine.created: group "db" id "sim-101" node "db-0" pass 1 rule "free_slot" slot 0
machine.created: group "web" id "sim-3" node "web-2" pass 1 rule "free_slot" slot 2
machine.created: group "web" id "sim-2" node "web-1" pass 1 rule "free_slot" slot 1
machine.created: group "web" id "sim-1" node "web-0" pass 1 rule "free_slot" slot 0
machine.ready: fact "sim-101 runs" group "db" id "sim-101" node "db-0" pass 2 rule "activate" slot 0
machine.ready: fact "sim-102 runs" group "db" id "sim-102" node "db-1" pass 2 rule "activate" slot 1
machine.ready: fact "sim-103 runs" group "db" id "sim-103" node "db-2" pass 2 rule "activate" slot 2
machine.ready: fact "sim-1 runs" group "web" id "sim-1" node "web-0" pass 2 rule "activate" slot 0
machine.ready: fact "sim-2 runs" group "web" id "sim-2" node "web-1" pass 2 rule "activate" slot 1
machine.ready: fact "sim-3 runs" group "web" id "sim-3" node "web-2" pass 2 rule "activate" slot 2
job.done: fact "job/1"
hold.began: fact "1 machine with tags of reeve that this reeve did not create" pass 3 rule "foreign"
hold.ended: pass 7 rule "foreign"
hold.began: fact "2 of 3 machines are missing" group "db" pass 8 rule "listing_brake"
hold.began: fact "2 of 3 machines are missing" pass 9 rule "listing_brake"
hold.ended: pass 10 rule "listing_brake"
hold.ended: group "db" pass 10 rule "listing_brake"
machine.condemned: fact "4 absences; 19 lookups by id did not find the machine" group "db" id "sim-101" node "db-0" pass 11 rule "lost" slot 0
machine.condemned: fact "4 absences; 18 lookups by id did not find the machine" group "db" id "sim-103" node "db-2" pass 11 rule "lost" slot 2
machine.destroyed: group "db" id "sim-103" node "db-2" pass 11 rule "lost" slot 2
machine.destroyed: group "db" id "sim-101" node "db-0" pass 11 rule "lost" slot 0
machine.wanted: fact "size is 3, 1 recorded" group "db" node "db-0" pass 12 rule "free_slot" slot 0
machine.wanted: fact "size is 3, 1 recorded" group "db" node "db-2" pass 12 rule "free_slot" slot 2
machine.gone: fact "the provider has confirmed the destruction" group "db" id "sim-101" node "db-0" pass 12 rule "forget" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "db" id "sim-103" node "db-2" pass 12 rule "forget" slot 2
machine.created: group "db" id "sim-106" node "db-2" pass 12 rule "free_slot" slot 2
machine.created: group "db" id "sim-105" node "db-0" pass 12 rule "free_slot" slot 0
machine.ready: fact "sim-106 runs" group "db" id "sim-106" node "db-2" pass 13 rule "activate" slot 2
machine.ready: fact "sim-105 runs" group "db" id "sim-105" node "db-0" pass 13 rule "activate" slot 0
machine.wanted: fact "size is 3, 2 recorded" group "db" node "db-1" pass 14 rule "free_slot" slot 1
machine.created: group "db" id "sim-107" node "db-1" pass 14 rule "free_slot" slot 1
machine.ready: fact "sim-107 runs" group "db" id "sim-107" node "db-1" pass 15 rule "activate" slot 1
hold.began: fact "1 machine that nobody requested" pass 16 rule "quarantine"
cluster.deleted: actor "ana" groups ["db","web"] sums {"change":0,"create":0,"destroy":6,"groups":0,"nodes":0,"reboot":0,"replace":0}
machine.condemned: fact "size is 0" group "db" id "sim-106" node "db-2" pass 17 rule "scale_in" slot 2
machine.condemned: fact "size is 0" group "db" id "sim-105" node "db-0" pass 17 rule "scale_in" slot 0
machine.condemned: fact "size is 0" group "db" id "sim-107" node "db-1" pass 17 rule "scale_in" slot 1
hold.began: fact "sim-102, which nobody requested, was seen: until listings have lacked it for 20 min" pass 17 rule "lingering"
job.began: fact "job/51"
machine.destroyed: group "db" id "sim-107" node "db-1" pass 17 rule "scale_in" slot 1
machine.destroyed: group "db" id "sim-105" node "db-0" pass 17 rule "scale_in" slot 0
machine.destroyed: group "db" id "sim-106" node "db-2" pass 17 rule "scale_in" slot 2
machine.condemned: fact "3 sightings" group "db" id "sim-102" pass 18 rule "orphan" slot 1
hold.ended: pass 18 rule "quarantine"
machine.destroyed: group "db" id "sim-102" pass 18 rule "orphan" slot 1
machine.gone: fact "the provider has confirmed the destruction" group "db" id "sim-106" node "db-2" pass 19 rule "forget" slot 2
machine.gone: fact "the provider has confirmed the destruction" group "db" id "sim-105" node "db-0" pass 19 rule "forget" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "db" id "sim-107" node "db-1" pass 19 rule "forget" slot 1
machine.gone: fact "the provider has confirmed the destruction" group "db" id "sim-102" pass 19 rule "forget" slot 1
hold.ended: pass 19 rule "lingering"
hold.began: fact "sim: transient; unmanaged: 3 machines" pass 20 rule "unlisted"
machine.condemned: fact "size is 0" group "web" id "sim-1" node "web-0" pass 21 rule "scale_in" slot 0
machine.condemned: fact "size is 0" group "web" id "sim-3" node "web-2" pass 21 rule "scale_in" slot 2
machine.condemned: fact "size is 0" group "web" id "sim-2" node "web-1" pass 21 rule "scale_in" slot 1
hold.ended: pass 21 rule "unlisted"
machine.destroyed: group "web" id "sim-2" node "web-1" pass 21 rule "scale_in" slot 1
machine.destroyed: group "web" id "sim-3" node "web-2" pass 21 rule "scale_in" slot 2
machine.destroyed: group "web" id "sim-1" node "web-0" pass 21 rule "scale_in" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-1" node "web-0" pass 22 rule "forget" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-3" node "web-2" pass 22 rule "forget" slot 2
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-2" node "web-1" pass 22 rule "forget" slot 1
job.done: fact "job/51"
