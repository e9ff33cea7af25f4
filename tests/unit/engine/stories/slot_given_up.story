1.000 s (0 decided, last at 0.000 s), 0 lists, 0 other calls, 0 probes
  + /default/Lease/ID/status
    ahead: -999
    clock: "lab"
    session: "life-1"

  + /default/Control/ID/status
    series: {"fbae27432718":[1,1,1]}
  + /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 0
    state: "create"
  + /default/Cluster/ID/status
    holds: 0
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":1}
    observed: 1
  + /default/Job/ID/00000000000000000001/status
    begun: 1760000001000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":1,"generations":["58c2d4f2b51c301b","181b5d71cfc4a858"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1}]
    machines: {"creating":1,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":1}
    problems: []
    revision: 1
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true
    id: "sim-1"

2.000 s, 2 done, 2 quiet (4 decided, last at 2.000 s), 4 lists, 2 other calls, 0 probes
  + /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[1,1001,1001,"stopped"]}

7.102 s, 1 done, 7 quiet (8 decided, last at 7.102 s), 8 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[2,1001,6103,"stopped"]}

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    condemned: 6103
    failures: 1
    losses: 1
    pass: 2
    reason: "failed"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":1}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b","181b5d71cfc4a858"],"group":"web","leaving":1,"old":0,"ready":0,"updated":0,"wanted":1}]
    machines: {"creating":0,"leaving":1,"old":0,"ready":0,"updated":0,"wanted":1}

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[2,1,6103]}
  + /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    created: 6103
    failures: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    losses: 1
    made: 1760000007102
    pass: 3
    reason: "free_slot"
    slot: 0
    state: "create"
  - /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":1}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"creating":1,"generations":["58c2d4f2b51c301b","181b5d71cfc4a858"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1}]
    machines: {"creating":1,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":1}

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true
    id: "sim-2"

8.102 s, 3 done, 2 quiet (5 decided, last at 8.102 s), 5 lists, 3 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[2,1001,6103,"stopped"],"fbae2743271800000002de820479c4a8":[1,7103,7103,"stopped"]}

13.204 s, 1 done, 7 quiet (8 decided, last at 13.204 s), 8 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[2,1001,6103,"stopped"],"fbae2743271800000002de820479c4a8":[2,7103,12205,"stopped"]}

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    condemned: 12205
    failures: 2
    losses: 2
    pass: 4
    reason: "failed"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":1}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b","181b5d71cfc4a858"],"group":"web","leaving":1,"old":0,"ready":0,"updated":0,"wanted":1}]
    machines: {"creating":0,"leaving":1,"old":0,"ready":0,"updated":0,"wanted":1}

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[3,1,12205]}
  + /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    created: 12205
    failures: 2
    generation: "58c2d4f2b51c301b"
    group: "web"
    losses: 2
    made: 1760000013204
    pass: 5
    reason: "free_slot"
    slot: 0
    state: "create"
  - /default/Resource/ID/fbae2743271800000002de820479c4a8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":1}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"creating":1,"generations":["58c2d4f2b51c301b","181b5d71cfc4a858"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1}]
    machines: {"creating":1,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":1}

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true
    id: "sim-3"

14.204 s, 3 done, 2 quiet (5 decided, last at 14.204 s), 5 lists, 3 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[2,1001,6103,"stopped"],"fbae2743271800000002de820479c4a8":[2,7103,12205,"stopped"],"fbae27432718000000034981fbfa71b6":[1,13205,13205,"stopped"]}

19.306 s, 1 done, 7 quiet (8 decided, last at 19.306 s), 8 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[2,1001,6103,"stopped"],"fbae2743271800000002de820479c4a8":[2,7103,12205,"stopped"],"fbae27432718000000034981fbfa71b6":[2,13205,18307,"stopped"]}

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    condemned: 18307
    failures: 3
    losses: 3
    pass: 6
    reason: "failed"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":1}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b","181b5d71cfc4a858"],"group":"web","leaving":1,"old":0,"ready":0,"updated":0,"wanted":1}]
    machines: {"creating":0,"leaving":1,"old":0,"ready":0,"updated":0,"wanted":1}

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true

  + /default/Hold/ID/backoff_exhausted/web/status
    cluster: "shop"
    fact: "1 slot: in each, 3 machines or more have failed"
    group: "web"
    pass: 7
    rule: "backoff_exhausted"
    since: 1760000019306
    wouldCreate: 1
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1
  ~ /default/Job/ID/00000000000000000001/status
    waits: ["web:backoff_exhausted"]

721.000 s, 1 done, 24 held (25 decided, last at 709.306 s), 25 lists, 1 other calls, 0 probes
=== machines run again
3619.306 s, 96 held (96 decided, last at 3589.306 s), 97 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    series: {"fbae27432718":[4,1,3618307]}
  + /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    created: 3618307
    failures: 3
    generation: "58c2d4f2b51c301b"
    group: "web"
    losses: 3
    made: 1760003619306
    pass: 8
    reason: "free_slot"
    slot: 0
    state: "create"
  - /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
  - /default/Hold/ID/backoff_exhausted/web/status
  ~ /default/Cluster/ID/status
    holds: 0
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":1}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"creating":1,"generations":["58c2d4f2b51c301b","181b5d71cfc4a858"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1}]
    machines: {"creating":1,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":1}
    waits: []

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true
    id: "sim-4"

3621.306 s, 1 done, 4 quiet (5 decided, last at 3620.806 s), 5 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    active: 3620307
    pass: 9
    state: "active"
    failures: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":1,"unhealthy":0,"unreachable":0,"wanted":1}
  ~ /default/Job/ID/00000000000000000001/status
    ended: 1760003621306
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b","181b5d71cfc4a858"],"group":"web","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":1,"updated":1,"wanted":1}
    state: "done"

=== the end
4321.000 s, 1 done, 24 quiet (3 decided, last at 4311.806 s), 25 lists, 0 other calls, 0 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 7102 stopped 2000 reboots 0 at 0 'failed'
sim-2 web/0 {"resourcePlugin":"sim"} zone '' labels  made 7102 ended 13204 stopped 8000 reboots 0 at 0 'failed'
sim-3 web/0 {"resourcePlugin":"sim"} zone '' labels  made 13204 ended 19306 stopped 14000 reboots 0 at 0 'failed'
sim-4 web/0 {"resourcePlugin":"sim"} zone '' labels  made 3619306 ended 0 stopped 0 reboots 0 at 0 ''
=== events
cluster.created: actor "ana" groups ["web"] sums {"change":0,"create":1,"destroy":0,"groups":1,"nodes":1,"reboot":0,"replace":0}
machine.wanted: fact "size is 1, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
job.began: fact "job/1"
machine.created: group "web" id "sim-1" node "web-0" pass 1 rule "free_slot" slot 0
machine.condemned: fact "2 answers agree" group "web" id "sim-1" node "web-0" pass 2 rule "failed" slot 0
machine.destroyed: group "web" id "sim-1" node "web-0" pass 2 rule "failed" slot 0
machine.wanted: fact "size is 1, 0 recorded" group "web" node "web-0" pass 3 rule "free_slot" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-1" node "web-0" pass 3 rule "forget" slot 0
machine.created: group "web" id "sim-2" node "web-0" pass 3 rule "free_slot" slot 0
machine.condemned: fact "2 answers agree" group "web" id "sim-2" node "web-0" pass 4 rule "failed" slot 0
machine.destroyed: group "web" id "sim-2" node "web-0" pass 4 rule "failed" slot 0
machine.wanted: fact "size is 1, 0 recorded" group "web" node "web-0" pass 5 rule "free_slot" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-2" node "web-0" pass 5 rule "forget" slot 0
machine.created: group "web" id "sim-3" node "web-0" pass 5 rule "free_slot" slot 0
machine.condemned: fact "2 answers agree" group "web" id "sim-3" node "web-0" pass 6 rule "failed" slot 0
machine.destroyed: group "web" id "sim-3" node "web-0" pass 6 rule "failed" slot 0
hold.began: fact "1 slot: in each, 3 machines or more have failed" group "web" pass 7 rule "backoff_exhausted"
machine.wanted: fact "size is 1, 0 recorded" group "web" node "web-0" pass 8 rule "free_slot" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-3" node "web-0" pass 8 rule "forget" slot 0
hold.ended: group "web" pass 8 rule "backoff_exhausted"
machine.created: group "web" id "sim-4" node "web-0" pass 8 rule "free_slot" slot 0
machine.ready: fact "sim-4 runs" group "web" id "sim-4" node "web-0" pass 9 rule "activate" slot 0
job.done: fact "job/1"
