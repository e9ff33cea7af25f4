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
=== one pass that only decides: what it found is done by the next one
  + /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[1,60001,60001,"stopped"]}

62.000 s, 2 done, 1 quiet (3 decided, last at 61.000 s), 3 lists, 1 other calls, 0 probes
66.000 s, 1 done (1 decided, last at 66.000 s), 1 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000002de820479c4a8":[2,60001,65001,"stopped"]}

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    condemned: 65001
    losses: 1
    pass: 3
    reason: "stopped"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":1,"unhealthy":0,"unreachable":0,"wanted":2}

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[3,1,65001]}
  + /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    created: 65001
    generation: "58c2d4f2b51c301b"
    group: "web"
    losses: 1
    made: 1760000066000
    pass: 4
    reason: "free_slot"
    slot: 1
    state: "create"
  - /default/Resource/ID/fbae2743271800000002de820479c4a8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":1,"unhealthy":0,"unreachable":0,"wanted":2}

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true
    id: "sim-3"

68.000 s, 2 done, 4 quiet (6 decided, last at 67.500 s), 7 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    active: 67001
    pass: 5
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":2}

362.000 s, 1 done, 10 quiet (2 decided, last at 338.500 s), 10 lists, 0 other calls, 0 probes
=== a manager that only decides
962.000 s, 20 done (20 decided, last at 932.000 s), 20 lists, 0 other calls, 0 probes
=== and one that does it
  ~ /default/Lease/ID/status
    session: "life-3"

  ~ /default/Control/ID/status
    series: {"7fa3cb7da0a8":[2,961001,961001],"fbae27432718":[3,1,65001]}
  + /default/Resource/ID/7fa3cb7da0a8000000012c80c771e46a/status
    created: 961001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000962000
    pass: 6
    reason: "free_slot"
    slot: 2
    state: "create"
  + /default/Resource/ID/7fa3cb7da0a800000002d526b3fb02f2/status
    created: 961001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000962000
    pass: 6
    reason: "free_slot"
    slot: 3
    state: "create"
  ~ /default/Cluster/ID/status
    machines: {"creating":2,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":4}
    observed: 13
  + /default/Job/ID/00000000000000000013/status
    begun: 1760000962000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":2,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":4}]
    machines: {"creating":2,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":4}
    problems: []
    revision: 13
    state: "running"
    waits: []

  ~ /default/Resource/ID/7fa3cb7da0a800000002d526b3fb02f2/status
    answered: true
    id: "sim-5"
  ~ /default/Resource/ID/7fa3cb7da0a8000000012c80c771e46a/status
    answered: true
    id: "sim-4"

964.000 s, 1 done, 4 quiet (5 decided, last at 963.500 s), 6 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/7fa3cb7da0a8000000012c80c771e46a/status
    active: 963001
    pass: 7
    state: "active"
  ~ /default/Resource/ID/7fa3cb7da0a800000002d526b3fb02f2/status
    active: 963001
    pass: 7
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000013/status
    ended: 1760000964000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}
    state: "done"

=== the end
1262.000 s, 1 done, 10 quiet (2 decided, last at 1234.500 s), 10 lists, 0 other calls, 0 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 66000 stopped 61000 reboots 0 at 0 'stopped'
sim-3 web/1 {"resourcePlugin":"sim"} zone '' labels  made 66000 ended 0 stopped 0 reboots 0 at 0 ''
sim-4 web/2 {"resourcePlugin":"sim"} zone '' labels  made 962000 ended 0 stopped 0 reboots 0 at 0 ''
sim-5 web/3 {"resourcePlugin":"sim"} zone '' labels  made 962000 ended 0 stopped 0 reboots 0 at 0 ''
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
machine.condemned: fact "2 answers agree" group "web" id "sim-2" node "web-1" pass 3 rule "stopped" slot 1
machine.destroyed: group "web" id "sim-2" node "web-1" pass 3 rule "stopped" slot 1
machine.wanted: fact "size is 2, 1 recorded" group "web" node "web-1" pass 4 rule "free_slot" slot 1
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-2" node "web-1" pass 4 rule "forget" slot 1
machine.created: group "web" id "sim-3" node "web-1" pass 4 rule "free_slot" slot 1
machine.ready: fact "sim-3 runs" group "web" id "sim-3" node "web-1" pass 5 rule "activate" slot 1
cluster.changed: actor "ana" groups ["web"] sums {"change":0,"create":2,"destroy":0,"groups":1,"nodes":4,"reboot":0,"replace":0}
machine.wanted: fact "size is 4, 2 recorded" group "web" node "web-2" pass 6 rule "free_slot" slot 2
machine.wanted: fact "size is 4, 2 recorded" group "web" node "web-3" pass 6 rule "free_slot" slot 3
job.began: fact "job/13"
machine.created: group "web" id "sim-5" node "web-3" pass 6 rule "free_slot" slot 3
machine.created: group "web" id "sim-4" node "web-2" pass 6 rule "free_slot" slot 2
machine.ready: fact "sim-4 runs" group "web" id "sim-4" node "web-2" pass 7 rule "activate" slot 2
machine.ready: fact "sim-5 runs" group "web" id "sim-5" node "web-3" pass 7 rule "activate" slot 3
job.done: fact "job/13"
