1.000 s (0 decided, last at 0.000 s), 0 lists, 0 other calls, 0 probes
=== three machines are requested
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
=== one more
  ~ /default/Control/ID/status
    series: {"fbae27432718":[4,1,60001]}
  + /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    created: 60001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000061000
    pass: 3
    reason: "free_slot"
    slot: 3
    state: "create"
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":4}
    observed: 6
  + /default/Job/ID/00000000000000000006/status
    begun: 1760000061000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":3,"updated":3,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":4}
    problems: []
    revision: 6
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true
    id: "sim-4"

63.000 s, 1 done, 4 quiet (5 decided, last at 62.500 s), 6 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    active: 62001
    pass: 4
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000006/status
    ended: 1760000063000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}
    state: "done"

121.000 s, 1 done, 2 quiet (2 decided, last at 93.500 s), 2 lists, 0 other calls, 0 probes
=== two less
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    condemned: 120001
    pass: 5
    reason: "scale_in"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    condemned: 120001
    pass: 5
    reason: "scale_in"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":2,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":2}
    observed: 10
  + /default/Job/ID/00000000000000000010/status
    begun: 1760000121000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":2,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":2,"old":0,"ready":2,"updated":2,"wanted":2}
    problems: []
    revision: 10
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true

  - /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
  - /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":2}
  ~ /default/Job/ID/00000000000000000010/status
    ended: 1760000121000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}
    state: "done"

241.000 s, 2 done, 4 quiet (3 decided, last at 216.000 s), 6 lists, 2 other calls, 0 probes
=== the cluster is deleted
  - /default/Cluster/ID/status

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    condemned: 240001
    pass: 7
    reason: "scale_in"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    condemned: 240001
    pass: 7
    reason: "scale_in"
    state: "delete"
    answered: (none)
  + /default/Job/ID/00000000000000000014/status
    begun: 1760000241000
    cluster: "shop"
    groups: [{"creating":0,"generations":[],"group":"web","leaving":2,"old":0,"ready":0,"updated":0,"wanted":0}]
    machines: {"creating":0,"leaving":2,"old":0,"ready":0,"updated":0,"wanted":0}
    problems: []
    revision: 14
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true

  - /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
  - /default/Resource/ID/fbae2743271800000002de820479c4a8/status
  ~ /default/Job/ID/00000000000000000014/status
    ended: 1760000241000
    groups: []
    machines: {"creating":0,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":0}
    state: "done"

246.000 s, 2 done (2 decided, last at 241.000 s), 2 lists, 2 other calls, 0 probes
  - /default/Control/ID/status

=== the end
2041.000 s, 1 quiet (1 decided, last at 246.000 s), 0 lists, 0 other calls, 0 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 241000 stopped 0 reboots 0 at 0 'scale_in'
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 241000 stopped 0 reboots 0 at 0 'scale_in'
sim-3 web/2 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 121000 stopped 0 reboots 0 at 0 'scale_in'
sim-4 web/3 {"resourcePlugin":"sim"} zone '' labels  made 61000 ended 121000 stopped 0 reboots 0 at 0 'scale_in'
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
cluster.changed: actor "ana" groups ["web"] sums {"change":0,"create":1,"destroy":0,"groups":1,"nodes":4,"reboot":0,"replace":0}
machine.wanted: fact "size is 4, 3 recorded" group "web" node "web-3" pass 3 rule "free_slot" slot 3
job.began: fact "job/6"
machine.created: group "web" id "sim-4" node "web-3" pass 3 rule "free_slot" slot 3
machine.ready: fact "sim-4 runs" group "web" id "sim-4" node "web-3" pass 4 rule "activate" slot 3
job.done: fact "job/6"
cluster.changed: actor "ana" groups ["web"] sums {"change":0,"create":0,"destroy":2,"groups":1,"nodes":2,"reboot":0,"replace":0}
machine.condemned: fact "size is 2" group "web" id "sim-3" node "web-2" pass 5 rule "scale_in" slot 2
machine.condemned: fact "size is 2" group "web" id "sim-4" node "web-3" pass 5 rule "scale_in" slot 3
job.began: fact "job/10"
machine.destroyed: group "web" id "sim-4" node "web-3" pass 5 rule "scale_in" slot 3
machine.destroyed: group "web" id "sim-3" node "web-2" pass 5 rule "scale_in" slot 2
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-3" node "web-2" pass 6 rule "forget" slot 2
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-4" node "web-3" pass 6 rule "forget" slot 3
job.done: fact "job/10"
cluster.deleted: actor "ana" groups ["web"] sums {"change":0,"create":0,"destroy":2,"groups":0,"nodes":0,"reboot":0,"replace":0}
machine.condemned: fact "size is 0" group "web" id "sim-1" node "web-0" pass 7 rule "scale_in" slot 0
machine.condemned: fact "size is 0" group "web" id "sim-2" node "web-1" pass 7 rule "scale_in" slot 1
job.began: fact "job/14"
machine.destroyed: group "web" id "sim-2" node "web-1" pass 7 rule "scale_in" slot 1
machine.destroyed: group "web" id "sim-1" node "web-0" pass 7 rule "scale_in" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-1" node "web-0" pass 8 rule "forget" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-2" node "web-1" pass 8 rule "forget" slot 1
job.done: fact "job/14"
