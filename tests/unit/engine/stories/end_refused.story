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
=== the provider refuses every end of a machine
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    condemned: 60001
    pass: 3
    reason: "scale_in"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    condemned: 60001
    pass: 3
    reason: "scale_in"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":2,"outdated":0,"ready":1,"unhealthy":0,"unreachable":0,"wanted":1}
    observed: 6
  + /default/Job/ID/00000000000000000006/status
    begun: 1760000061000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":2,"old":0,"ready":1,"updated":1,"wanted":1}]
    machines: {"creating":0,"leaving":2,"old":0,"ready":1,"updated":1,"wanted":1}
    problems: []
    revision: 6
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    callAfter: 60746
    fault: "transient"
    tries: 1
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    callAfter: 60751
    fault: "transient"
    tries: 1

91.000 s, 2 done, 1 quiet (3 decided, last at 91.000 s), 3 lists, 4 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    callAfter: 91418
    tries: 2
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    callAfter: 91984
    tries: 2

121.000 s, 1 done, 1 quiet (2 decided, last at 121.000 s), 2 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    callAfter: 122454
    tries: 3
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    callAfter: 122940
    tries: 3

151.000 s, 1 done, 1 quiet (2 decided, last at 151.000 s), 2 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    callAfter: 155118
    tries: 4
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    callAfter: 157412
    tries: 4

181.000 s, 1 done, 1 quiet (2 decided, last at 181.000 s), 2 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    callAfter: 194124
    tries: 5
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    callAfter: 193153
    tries: 5

211.000 s, 1 done, 1 quiet (2 decided, last at 211.000 s), 2 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    callAfter: 236155
    tries: 6
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    callAfter: 235353
    tries: 6

241.000 s, 1 done, 1 quiet (2 decided, last at 241.000 s), 2 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    callAfter: 282362
    tries: 7
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    callAfter: 299406
    tries: 7

301.000 s, 1 done, 2 quiet (3 decided, last at 301.000 s), 3 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    callAfter: 414185
    tries: 8
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    callAfter: 383393
    tries: 8

391.000 s, 1 done, 3 quiet (4 decided, last at 391.000 s), 4 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    callAfter: 611373
    tries: 9

421.000 s, 1 done, 1 quiet (2 decided, last at 421.000 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    callAfter: 553085
    tries: 9

571.000 s, 1 done, 5 quiet (6 decided, last at 571.000 s), 6 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    callAfter: 846941
    tries: 10

631.000 s, 1 done, 2 quiet (3 decided, last at 631.000 s), 3 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    callAfter: 781705
    tries: 10

811.000 s, 1 done, 6 quiet (7 decided, last at 811.000 s), 7 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    callAfter: 1020612
    tries: 11

871.000 s, 1 done, 2 quiet (3 decided, last at 871.000 s), 3 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    callAfter: 1084768
    tries: 11

1051.000 s, 1 done, 6 quiet (7 decided, last at 1051.000 s), 7 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    callAfter: 1212582
    tries: 12

1111.000 s, 1 done, 2 quiet (3 decided, last at 1111.000 s), 3 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    callAfter: 1309265
    tries: 12

1231.000 s, 1 done, 4 quiet (5 decided, last at 1231.000 s), 5 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    callAfter: 1410734
    tries: 13

1261.000 s, 1 quiet (1 decided, last at 1231.000 s), 2 lists, 0 other calls, 0 probes
  + /default/Hold/ID/stuck/web/status
    cluster: "shop"
    fact: "2 machines, sim-2: no definite answer"
    group: "web"
    pass: 4
    rule: "stuck"
    since: 1760001261000
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1
  ~ /default/Job/ID/00000000000000000006/status
    waits: ["web:stuck"]

1321.000 s, 1 done, 2 held (3 decided, last at 1321.000 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    callAfter: 1606412
    tries: 13

1441.000 s, 1 done, 4 held (5 decided, last at 1441.000 s), 5 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    callAfter: 1737410
    tries: 14

1621.000 s, 1 done, 6 held (7 decided, last at 1621.000 s), 7 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    callAfter: 1833592
    tries: 14

1741.000 s, 1 done, 4 held (5 decided, last at 1741.000 s), 5 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    callAfter: 1933196
    tries: 15

1861.000 s, 4 held (4 decided, last at 1831.000 s), 4 lists, 0 other calls, 0 probes
=== and not any more
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true
    callAfter: (none)
    tries: (none)

  - /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
  ~ /default/Hold/ID/stuck/web/status
    fact: "1 machine, sim-2: no definite answer"
    pass: 5
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":1,"unhealthy":0,"unreachable":0,"wanted":1}
  ~ /default/Job/ID/00000000000000000006/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":1,"old":0,"ready":1,"updated":1,"wanted":1}]
    machines: {"creating":0,"leaving":1,"old":0,"ready":1,"updated":1,"wanted":1}

1956.000 s, 3 done, 3 held (6 decided, last at 1956.000 s), 6 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true
    callAfter: (none)
    tries: (none)

  - /default/Resource/ID/fbae2743271800000002de820479c4a8/status
  - /default/Hold/ID/stuck/web/status
  ~ /default/Cluster/ID/status
    holds: 0
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":1,"unhealthy":0,"unreachable":0,"wanted":1}
  ~ /default/Job/ID/00000000000000000006/status
    ended: 1760001956000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":1,"updated":1,"wanted":1}
    state: "done"
    waits: []

=== the end
2461.000 s, 1 done, 17 quiet (2 decided, last at 2441.000 s), 18 lists, 0 other calls, 0 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 1956000 stopped 0 reboots 0 at 0 'scale_in'
sim-3 web/2 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 1861000 stopped 0 reboots 0 at 0 'scale_in'
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
cluster.changed: actor "ana" groups ["web"] sums {"change":0,"create":0,"destroy":2,"groups":1,"nodes":1,"reboot":0,"replace":0}
machine.condemned: fact "size is 1" group "web" id "sim-2" node "web-1" pass 3 rule "scale_in" slot 1
machine.condemned: fact "size is 1" group "web" id "sim-3" node "web-2" pass 3 rule "scale_in" slot 2
job.began: fact "job/6"
machine.kept: fact "transient" group "web" id "sim-3" node "web-2" pass 3 rule "scale_in" slot 2
machine.kept: fact "transient" group "web" id "sim-2" node "web-1" pass 3 rule "scale_in" slot 1
machine.kept: fact "transient" group "web" id "sim-3" node "web-2" pass 3 rule "scale_in" slot 2
machine.kept: fact "transient" group "web" id "sim-2" node "web-1" pass 3 rule "scale_in" slot 1
machine.kept: fact "transient" group "web" id "sim-3" node "web-2" pass 3 rule "scale_in" slot 2
machine.kept: fact "transient" group "web" id "sim-2" node "web-1" pass 3 rule "scale_in" slot 1
machine.kept: fact "transient" group "web" id "sim-3" node "web-2" pass 3 rule "scale_in" slot 2
machine.kept: fact "transient" group "web" id "sim-2" node "web-1" pass 3 rule "scale_in" slot 1
machine.kept: fact "transient" group "web" id "sim-3" node "web-2" pass 3 rule "scale_in" slot 2
machine.kept: fact "transient" group "web" id "sim-2" node "web-1" pass 3 rule "scale_in" slot 1
machine.kept: fact "transient" group "web" id "sim-3" node "web-2" pass 3 rule "scale_in" slot 2
machine.kept: fact "transient" group "web" id "sim-2" node "web-1" pass 3 rule "scale_in" slot 1
machine.kept: fact "transient" group "web" id "sim-3" node "web-2" pass 3 rule "scale_in" slot 2
machine.kept: fact "transient" group "web" id "sim-2" node "web-1" pass 3 rule "scale_in" slot 1
machine.kept: fact "transient" group "web" id "sim-3" node "web-2" pass 3 rule "scale_in" slot 2
machine.kept: fact "transient" group "web" id "sim-2" node "web-1" pass 3 rule "scale_in" slot 1
machine.kept: fact "transient" group "web" id "sim-2" node "web-1" pass 3 rule "scale_in" slot 1
machine.kept: fact "transient" group "web" id "sim-3" node "web-2" pass 3 rule "scale_in" slot 2
machine.kept: fact "transient" group "web" id "sim-3" node "web-2" pass 3 rule "scale_in" slot 2
machine.kept: fact "transient" group "web" id "sim-2" node "web-1" pass 3 rule "scale_in" slot 1
machine.kept: fact "transient" group "web" id "sim-2" node "web-1" pass 3 rule "scale_in" slot 1
machine.kept: fact "transient" group "web" id "sim-3" node "web-2" pass 3 rule "scale_in" slot 2
machine.kept: fact "transient" group "web" id "sim-2" node "web-1" pass 3 rule "scale_in" slot 1
machine.kept: fact "transient" group "web" id "sim-3" node "web-2" pass 3 rule "scale_in" slot 2
machine.kept: fact "transient" group "web" id "sim-2" node "web-1" pass 3 rule "scale_in" slot 1
hold.began: fact "2 machines, sim-2: no definite answer" group "web" pass 4 rule "stuck"
machine.kept: fact "transient" group "web" id "sim-3" node "web-2" pass 3 rule "scale_in" slot 2
machine.kept: fact "transient" group "web" id "sim-2" node "web-1" pass 3 rule "scale_in" slot 1
machine.kept: fact "transient" group "web" id "sim-3" node "web-2" pass 3 rule "scale_in" slot 2
machine.kept: fact "transient" group "web" id "sim-2" node "web-1" pass 3 rule "scale_in" slot 1
machine.destroyed: group "web" id "sim-3" node "web-2" pass 3 rule "scale_in" slot 2
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-3" node "web-2" pass 5 rule "forget" slot 2
machine.destroyed: group "web" id "sim-2" node "web-1" pass 3 rule "scale_in" slot 1
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-2" node "web-1" pass 6 rule "forget" slot 1
hold.ended: group "web" pass 6 rule "stuck"
job.done: fact "job/6"
