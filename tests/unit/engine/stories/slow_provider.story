1.000 s (0 decided, last at 0.000 s), 0 lists, 0 other calls, 0 probes
  + /default/Lease/ID/status
    ahead: -999
    clock: "lab"
    session: "life-1"

4.000 s (0 decided, last at 0.000 s), 1 lists, 0 other calls, 0 probes
  + /default/Control/ID/status
    series: {"fbae27432718":[4,3001,3001]}
  + /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    created: 3001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000004000
    pass: 1
    reason: "free_slot"
    slot: 0
    state: "create"
  + /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    created: 3001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000004000
    pass: 1
    reason: "free_slot"
    slot: 1
    state: "create"
  + /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    created: 3001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000004000
    pass: 1
    reason: "free_slot"
    slot: 2
    state: "create"
  + /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    created: 3001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000004000
    pass: 1
    reason: "free_slot"
    slot: 3
    state: "create"
  + /default/Cluster/ID/status
    holds: 0
    machines: {"creating":4,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":4}
    observed: 1
  + /default/Job/ID/00000000000000000001/status
    begun: 1760000004000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":4,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":4}]
    machines: {"creating":4,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":4}
    problems: []
    revision: 1
    state: "running"
    waits: []

11.000 s, 1 done (1 decided, last at 4.000 s), 1 lists, 2 other calls, 0 probes
=== less, while calls are under way
12.000 s (0 decided, last at 4.000 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true
    id: "sim-2"
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true
    id: "sim-1"

  + /default/Control/ID/web/status
    absent: {"fbae27432718000000014bd8c442c5f8":[1,11001,11001],"fbae2743271800000002de820479c4a8":[1,11001,11001]}
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    condemned: 11001
    pass: 2
    reason: "cancel"
    state: "delete"
  ~ /default/Cluster/ID/status
    machines: {"creating":3,"failed":0,"leaving":1,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":3}
    observed: 4
  ~ /default/Job/ID/00000000000000000001/status
    ended: 1760000012000
    state: "superseded"
    supersededBy: "job/4"
  + /default/Job/ID/00000000000000000004/status
    begun: 1760000012000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":3,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":1,"old":0,"ready":0,"updated":0,"wanted":3}]
    machines: {"creating":3,"leaving":1,"old":0,"ready":0,"updated":0,"wanted":3}
    problems: []
    revision: 4
    state: "running"
    waits: []

19.000 s, 3 done (3 decided, last at 18.750 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true
    id: "sim-3"

22.000 s (0 decided, last at 18.750 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae27432718000000014bd8c442c5f8":[1,11001,11001],"fbae2743271800000002de820479c4a8":[1,11001,11001],"fbae27432718000000034981fbfa71b6":[1,21001,21001]}

52.775 s, 5 done (5 decided, last at 43.620 s), 5 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae27432718000000034981fbfa71b6":[1,21001,21001]}

64.218 s, 1 done (1 decided, last at 52.775 s), 1 lists, 0 other calls, 0 probes
  - /default/Control/ID/web/status
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    active: 63219
    pass: 3
    state: "active"
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    active: 63219
    pass: 3
    state: "active"
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    active: 63219
    pass: 3
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000004/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":1,"old":0,"ready":3,"updated":3,"wanted":3}]
    machines: {"creating":0,"leaving":1,"old":0,"ready":3,"updated":3,"wanted":3}

311.000 s, 1 done, 8 quiet (9 decided, last at 303.218 s), 8 lists, 0 other calls, 0 probes
=== the manager dies while calls are under way
314.000 s (0 decided, last at 303.218 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    series: {"fbae27432718":[5,3001,313001]}
  + /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    created: 313001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000314000
    pass: 4
    reason: "free_slot"
    slot: 4
    state: "create"
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":1,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":5}
    observed: 11
  ~ /default/Job/ID/00000000000000000004/status
    ended: 1760000314000
    state: "superseded"
    supersededBy: "job/11"
  + /default/Job/ID/00000000000000000011/status
    begun: 1760000314000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":1,"old":0,"ready":3,"updated":3,"wanted":5}]
    machines: {"creating":1,"leaving":1,"old":0,"ready":3,"updated":3,"wanted":5}
    problems: []
    revision: 11
    state: "running"
    waits: []

319.000 s, 1 done (1 decided, last at 314.000 s), 0 lists, 1 other calls, 0 probes
  ~ /default/Lease/ID/status
    session: "life-2"

322.000 s (0 decided, last at 314.000 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    doubt: 321001

330.000 s, 1 done (1 decided, last at 322.000 s), 1 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true
    id: "sim-4"

  + /default/Control/ID/web/status
    absent: {"fbae27432718000000052c80c771e46a":[1,329001,329001]}

363.775 s, 6 done (6 decided, last at 354.620 s), 6 lists, 0 other calls, 0 probes
  - /default/Control/ID/web/status

375.218 s, 1 quiet (1 decided, last at 363.775 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    active: 374219
    pass: 6
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000011/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":1,"old":0,"ready":4,"updated":4,"wanted":5}]
    machines: {"creating":0,"leaving":1,"old":0,"ready":4,"updated":4,"wanted":5}

=== the end
619.000 s, 1 done, 8 quiet (9 decided, last at 614.218 s), 8 lists, 0 other calls, 0 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 4000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 5000 ended 0 stopped 0 reboots 0 at 0 ''
sim-3 web/2 {"resourcePlugin":"sim"} zone '' labels  made 12000 ended 0 stopped 0 reboots 0 at 0 ''
sim-4 web/4 {"resourcePlugin":"sim"} zone '' labels  made 314000 ended 0 stopped 0 reboots 0 at 0 ''
=== events
cluster.created: actor "ana" groups ["web"] sums {"change":0,"create":4,"destroy":0,"groups":1,"nodes":4,"reboot":0,"replace":0}
machine.wanted: fact "size is 4, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 4, 0 recorded" group "web" node "web-1" pass 1 rule "free_slot" slot 1
machine.wanted: fact "size is 4, 0 recorded" group "web" node "web-2" pass 1 rule "free_slot" slot 2
machine.wanted: fact "size is 4, 0 recorded" group "web" node "web-3" pass 1 rule "free_slot" slot 3
job.began: fact "job/1"
cluster.changed: actor "ana" groups ["web"] sums {"change":0,"create":0,"destroy":1,"groups":1,"nodes":3,"reboot":0,"replace":0}
machine.created: group "web" id "sim-2" node "web-1" pass 1 rule "free_slot" slot 1
machine.created: group "web" id "sim-1" node "web-0" pass 1 rule "free_slot" slot 0
machine.condemned: fact "size is 3" group "web" node "web-3" pass 2 rule "cancel" slot 3
job.began: fact "job/4"
machine.created: group "web" id "sim-3" node "web-2" pass 1 rule "free_slot" slot 2
machine.ready: fact "sim-1 runs" group "web" id "sim-1" node "web-0" pass 3 rule "activate" slot 0
machine.ready: fact "sim-2 runs" group "web" id "sim-2" node "web-1" pass 3 rule "activate" slot 1
machine.ready: fact "sim-3 runs" group "web" id "sim-3" node "web-2" pass 3 rule "activate" slot 2
cluster.changed: actor "ana" groups ["web"] sums {"change":0,"create":2,"destroy":0,"groups":1,"nodes":5,"reboot":0,"replace":0}
machine.wanted: fact "size is 5, 4 recorded" group "web" node "web-4" pass 4 rule "free_slot" slot 4
job.began: fact "job/11"
machine.created: group "web" id "sim-4" node "web-4" pass 4 rule "free_slot" slot 4
machine.ready: fact "sim-4 runs" group "web" id "sim-4" node "web-4" pass 6 rule "activate" slot 4
