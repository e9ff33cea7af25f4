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
=== one is not listed for 30 minutes, and known by its id
63.500 s (0 decided, last at 33.500 s), 2 lists, 0 other calls, 0 probes
  + /default/Control/ID/web/status
    absent: {"fbae2743271800000002de820479c4a8":[1,62501,62501]}

123.500 s, 2 done (2 decided, last at 93.500 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae2743271800000002de820479c4a8":[2,62501,122501]}

153.500 s, 2 done (2 decided, last at 153.500 s), 1 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[1,152501,152501,"running"]}
    absent: (none)

  ~ /default/Control/ID/web/status
    absent: {"fbae2743271800000002de820479c4a8":[1,152501,152501]}

218.500 s, 3 done (3 decided, last at 188.500 s), 4 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae2743271800000002de820479c4a8":[2,152501,217501]}

248.500 s, 2 done (2 decided, last at 248.500 s), 1 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[2,152501,247501,"running"]}
    absent: (none)

  ~ /default/Control/ID/web/status
    absent: {"fbae2743271800000002de820479c4a8":[1,247501,247501]}

313.500 s, 3 done (3 decided, last at 283.500 s), 4 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae2743271800000002de820479c4a8":[2,247501,312501]}

343.500 s, 2 done (2 decided, last at 343.500 s), 1 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[3,152501,342501,"running"]}
    absent: (none)

  ~ /default/Control/ID/web/status
    absent: {"fbae2743271800000002de820479c4a8":[1,342501,342501]}

408.500 s, 3 done (3 decided, last at 378.500 s), 4 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae2743271800000002de820479c4a8":[2,342501,407501]}

438.500 s, 2 done (2 decided, last at 438.500 s), 1 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[4,152501,437501,"running"]}
    absent: (none)

  ~ /default/Control/ID/web/status
    absent: {"fbae2743271800000002de820479c4a8":[1,437501,437501]}

503.500 s, 3 done (3 decided, last at 473.500 s), 4 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae2743271800000002de820479c4a8":[2,437501,502501]}

533.500 s, 2 done (2 decided, last at 533.500 s), 1 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[5,152501,532501,"running"]}
    absent: (none)

  ~ /default/Control/ID/web/status
    absent: {"fbae2743271800000002de820479c4a8":[1,532501,532501]}

598.500 s, 3 done (3 decided, last at 568.500 s), 4 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae2743271800000002de820479c4a8":[2,532501,597501]}

628.500 s, 2 done (2 decided, last at 628.500 s), 1 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[6,152501,627501,"running"]}
    absent: (none)

  ~ /default/Control/ID/web/status
    absent: {"fbae2743271800000002de820479c4a8":[1,627501,627501]}

693.500 s, 3 done (3 decided, last at 663.500 s), 4 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae2743271800000002de820479c4a8":[2,627501,692501]}

723.500 s, 2 done (2 decided, last at 723.500 s), 1 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[7,152501,722501,"running"]}
    absent: (none)

  ~ /default/Control/ID/web/status
    absent: {"fbae2743271800000002de820479c4a8":[1,722501,722501]}

788.500 s, 3 done (3 decided, last at 758.500 s), 4 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae2743271800000002de820479c4a8":[2,722501,787501]}

818.500 s, 2 done (2 decided, last at 818.500 s), 1 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[8,152501,817501,"running"]}
    absent: (none)

  ~ /default/Control/ID/web/status
    absent: {"fbae2743271800000002de820479c4a8":[1,817501,817501]}

883.500 s, 3 done (3 decided, last at 853.500 s), 4 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae2743271800000002de820479c4a8":[2,817501,882501]}

913.500 s, 2 done (2 decided, last at 913.500 s), 1 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[9,152501,912501,"running"]}
    absent: (none)

  ~ /default/Control/ID/web/status
    absent: {"fbae2743271800000002de820479c4a8":[1,912501,912501]}

978.500 s, 3 done (3 decided, last at 948.500 s), 4 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae2743271800000002de820479c4a8":[2,912501,977501]}

1008.500 s, 2 done (2 decided, last at 1008.500 s), 1 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[10,152501,1007501,"running"]}
    absent: (none)

  ~ /default/Control/ID/web/status
    absent: {"fbae2743271800000002de820479c4a8":[1,1007501,1007501]}

1073.500 s, 3 done (3 decided, last at 1043.500 s), 4 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae2743271800000002de820479c4a8":[2,1007501,1072501]}

1103.500 s, 2 done (2 decided, last at 1103.500 s), 1 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[11,152501,1102501,"running"]}
    absent: (none)

  ~ /default/Control/ID/web/status
    absent: {"fbae2743271800000002de820479c4a8":[1,1102501,1102501]}

1168.500 s, 3 done (3 decided, last at 1138.500 s), 4 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae2743271800000002de820479c4a8":[2,1102501,1167501]}

1198.500 s, 2 done (2 decided, last at 1198.500 s), 1 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[12,152501,1197501,"running"]}
    absent: (none)

  ~ /default/Control/ID/web/status
    absent: {"fbae2743271800000002de820479c4a8":[1,1197501,1197501]}

1261.000 s, 3 done (3 decided, last at 1233.500 s), 3 lists, 0 other calls, 0 probes
=== and then unknown by it
1263.500 s (0 decided, last at 1233.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae2743271800000002de820479c4a8":[2,1197501,1262501]}

1293.500 s, 2 done (2 decided, last at 1293.500 s), 1 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[1,1292501,1292501,"gone"]}

1298.500 s, 2 done (2 decided, last at 1298.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[2,1292501,1297501,"gone"]}

1303.500 s, 2 done (2 decided, last at 1303.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[3,1292501,1302501,"gone"]}

1308.500 s, 2 done (2 decided, last at 1308.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[4,1292501,1307501,"gone"]}

1313.500 s, 2 done (2 decided, last at 1313.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[5,1292501,1312501,"gone"]}

1318.500 s, 2 done (2 decided, last at 1318.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[6,1292501,1317501,"gone"]}

1323.500 s, 1 done (1 decided, last at 1318.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae2743271800000002de820479c4a8":[3,1197501,1322501]}

  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[7,1292501,1322501,"gone"]}

1328.500 s, 3 done (3 decided, last at 1328.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[8,1292501,1327501,"gone"]}

1333.500 s, 2 done (2 decided, last at 1333.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[9,1292501,1332501,"gone"]}

1338.500 s, 2 done (2 decided, last at 1338.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[10,1292501,1337501,"gone"]}

1343.500 s, 2 done (2 decided, last at 1343.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[11,1292501,1342501,"gone"]}

1348.500 s, 2 done (2 decided, last at 1348.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[12,1292501,1347501,"gone"]}

1353.500 s, 2 done (2 decided, last at 1353.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[13,1292501,1352501,"gone"]}

1358.500 s, 2 done (2 decided, last at 1358.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[14,1292501,1357501,"gone"]}

1363.500 s, 2 done (2 decided, last at 1363.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[15,1292501,1362501,"gone"]}

1368.500 s, 2 done (2 decided, last at 1368.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[16,1292501,1367501,"gone"]}

1373.500 s, 2 done (2 decided, last at 1373.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[17,1292501,1372501,"gone"]}

1378.500 s, 1 done (1 decided, last at 1373.500 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    condemned: 1377501
    pass: 3
    reason: "lost"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":3}

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[4,1,1377501]}
  + /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    created: 1377501
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760001378500
    pass: 4
    reason: "free_slot"
    slot: 1
    state: "create"
  - /default/Resource/ID/fbae2743271800000002de820479c4a8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":3}

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true
    id: "sim-4"

1380.500 s, 2 done, 4 quiet (6 decided, last at 1380.000 s), 6 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    active: 1379501
    pass: 5
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}

=== the end
3541.000 s, 1 done, 72 quiet (20 decided, last at 3511.000 s), 74 lists, 0 other calls, 0 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 1378500 stopped 0 reboots 0 at 0 'lost'
sim-3 web/2 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-4 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1378500 ended 0 stopped 0 reboots 0 at 0 ''
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
machine.condemned: fact "4 absences; 17 lookups by id did not find the machine" group "web" id "sim-2" node "web-1" pass 3 rule "lost" slot 1
machine.destroyed: group "web" id "sim-2" node "web-1" pass 3 rule "lost" slot 1
machine.wanted: fact "size is 3, 2 recorded" group "web" node "web-1" pass 4 rule "free_slot" slot 1
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-2" node "web-1" pass 4 rule "forget" slot 1
machine.created: group "web" id "sim-4" node "web-1" pass 4 rule "free_slot" slot 1
machine.ready: fact "sim-4 runs" group "web" id "sim-4" node "web-1" pass 5 rule "activate" slot 1
