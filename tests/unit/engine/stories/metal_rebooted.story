1.000 s (0 decided, last at 0.000 s), 0 lists, 0 other calls, 0 probes
  + /default/Lease/ID/status
    ahead: -999
    clock: "lab"
    session: "life-1"

  + /default/Control/ID/status
    series: {"fbae27432718":[2,1,1]}
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
  + /default/Cluster/ID/status
    holds: 0
    machines: {"creating":2,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":2}
    observed: 1
  + /default/Job/ID/00000000000000000001/status
    begun: 1760000001000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":2,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":2}]
    machines: {"creating":2,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":2}
    problems: []
    revision: 1
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true
    id: "sim-2"
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true
    id: "sim-1"

3.000 s, 1 done, 4 quiet (5 decided, last at 2.500 s), 6 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    active: 2001
    pass: 2
    state: "active"
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    active: 2001
    pass: 2
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":2}
  ~ /default/Job/ID/00000000000000000001/status
    ended: 1760000003000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}
    state: "done"

61.000 s, 1 done, 2 quiet (2 decided, last at 33.500 s), 2 lists, 0 other calls, 0 probes
=== web-1 stops
63.500 s, 1 done (1 decided, last at 63.500 s), 2 lists, 1 other calls, 0 probes
  + /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[1,62501,62501,"stopped"]}

68.500 s, 1 done, 1 quiet (2 decided, last at 68.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[2,62501,67501,"stopped"]}

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    pass: 3
    rebooted: 67501

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status

361.000 s, 1 done, 11 quiet (12 decided, last at 343.500 s), 12 lists, 1 other calls, 0 probes
=== web-1 stops again
373.500 s, 1 done (1 decided, last at 373.500 s), 1 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[1,372501,372501,"stopped"]}

378.500 s, 1 done, 1 quiet (2 decided, last at 378.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[2,372501,377501,"stopped"]}

683.500 s, 11 quiet (11 decided, last at 653.500 s), 12 lists, 0 other calls, 0 probes
  + /default/Hold/ID/unhealed/web/status
    cluster: "shop"
    fact: "1 machine"
    group: "web"
    pass: 4
    rule: "unhealed"
    since: 1760000683500
    wouldCreate: 1
    wouldDestroy: 1
  ~ /default/Cluster/ID/status
    holds: 1

=== the end
2161.000 s, 50 held (50 decided, last at 2153.500 s), 49 lists, 0 other calls, 0 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 361000 reboots 1 at 68500 ''
=== events
cluster.created: actor "ana" groups ["web"] sums {"change":0,"create":2,"destroy":0,"groups":1,"nodes":2,"reboot":0,"replace":0}
machine.wanted: fact "size is 2, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 2, 0 recorded" group "web" node "web-1" pass 1 rule "free_slot" slot 1
job.began: fact "job/1"
machine.created: group "web" id "sim-2" node "web-1" pass 1 rule "free_slot" slot 1
machine.created: group "web" id "sim-1" node "web-0" pass 1 rule "free_slot" slot 0
machine.ready: fact "sim-1 runs" group "web" id "sim-1" node "web-0" pass 2 rule "activate" slot 0
machine.ready: fact "sim-2 runs" group "web" id "sim-2" node "web-1" pass 2 rule "activate" slot 1
job.done: fact "job/1"
machine.rebooting: fact "the machine does not run" group "web" id "sim-2" node "web-1" pass 3 rule "reboot" slot 1
machine.rebooted: group "web" id "sim-2" node "web-1" pass 3 rule "free_slot" slot 1
hold.began: fact "1 machine" group "web" pass 4 rule "unhealed"
