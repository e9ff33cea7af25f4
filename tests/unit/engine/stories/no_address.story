1.000 s (0 decided, last at 0.000 s), 0 lists, 0 other calls, 0 probes
  + /default/Lease/ID/status
    ahead: -999
    clock: "lab"
    session: "life-1"

  + /default/Control/ID/status
    series: {"fbae27432718":[4,1,1]}
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
    problems: []
    revision: 1
    state: "running"
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

3.000 s, 1 done, 4 quiet (5 decided, last at 2.500 s), 6 lists, 4 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    active: 2001
    pass: 2
    starting: true
    state: "active"
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    active: 2001
    pass: 2
    starting: true
    state: "active"
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    active: 2001
    pass: 2
    starting: true
    state: "active"
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    active: 2001
    pass: 2
    starting: true
    state: "active"

=== the end
601.000 s, 1 done, 20 quiet (21 decided, last at 573.500 s), 20 lists, 0 other calls, 0 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-3 web/2 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-4 web/3 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
=== events
cluster.created: actor "ana" groups ["web"] sums {"change":0,"create":4,"destroy":0,"groups":1,"nodes":4,"reboot":0,"replace":0}
machine.wanted: fact "size is 4, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 4, 0 recorded" group "web" node "web-1" pass 1 rule "free_slot" slot 1
machine.wanted: fact "size is 4, 0 recorded" group "web" node "web-2" pass 1 rule "free_slot" slot 2
machine.wanted: fact "size is 4, 0 recorded" group "web" node "web-3" pass 1 rule "free_slot" slot 3
job.began: fact "job/1"
machine.created: group "web" id "sim-4" node "web-3" pass 1 rule "free_slot" slot 3
machine.created: group "web" id "sim-3" node "web-2" pass 1 rule "free_slot" slot 2
machine.created: group "web" id "sim-2" node "web-1" pass 1 rule "free_slot" slot 1
machine.created: group "web" id "sim-1" node "web-0" pass 1 rule "free_slot" slot 0
machine.running: fact "sim-1 runs" group "web" id "sim-1" node "web-0" pass 2 rule "activate" slot 0
machine.running: fact "sim-2 runs" group "web" id "sim-2" node "web-1" pass 2 rule "activate" slot 1
machine.running: fact "sim-3 runs" group "web" id "sim-3" node "web-2" pass 2 rule "activate" slot 2
machine.running: fact "sim-4 runs" group "web" id "sim-4" node "web-3" pass 2 rule "activate" slot 3
