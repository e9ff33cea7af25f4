1.000 s (0 decided, last at 0.000 s), 0 lists, 0 other calls, 0 probes
=== its bytes wait for an approval
  + /default/Lease/ID/status
    ahead: -999
    clock: "lab"
    session: "life-2"

  + /default/Control/ID/status
    series: {"fbae27432718":[2,1,1]}
  + /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "db"
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
    slot: 0
    state: "create"
  + /default/Hold/ID/unpinned/db/status
    cluster: "shop"
    fact: "1 with digest 1234abcd"
    group: "db"
    pass: 1
    rule: "unpinned"
    since: 1760000001000
    wouldCreate: 0
    wouldDestroy: 0
  + /default/Cluster/ID/status
    holds: 1
    machines: {"creating":2,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":2}
    observed: 1
  + /default/Job/ID/00000000000000000001/status
    begun: 1760000001000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":1,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1},{"creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1}]
    machines: {"creating":2,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":2}
    problems: []
    revision: 1
    state: "running"
    waits: ["db:unpinned"]

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true
    id: "sim-2"
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true
    id: "sim-1"

3.000 s, 1 done, 4 held (5 decided, last at 2.500 s), 6 lists, 2 other calls, 0 probes
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
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}
    state: "waiting"

121.000 s, 1 done, 4 held (5 decided, last at 93.500 s), 4 lists, 0 other calls, 0 probes
=== other bytes wait
123.500 s (0 decided, last at 93.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Hold/ID/unpinned/db/status
    fact: "1 with digest 5678ef00"
    pass: 3

=== unpinned of shop/db is answered
271.000 s, 5 held (5 decided, last at 241.000 s), 5 lists, 0 other calls, 0 probes
  - /default/Hold/ID/unpinned/db/status
  ~ /default/Cluster/ID/status
    holds: 0
  ~ /default/Job/ID/00000000000000000001/status
    ended: 1760000271000
    state: "done"
    waits: []

361.000 s, 4 quiet (2 decided, last at 331.000 s), 3 lists, 0 other calls, 0 probes
=== still other ones
  + /default/Hold/ID/unpinned/db/status
    cluster: "shop"
    fact: "1 with digest 9999aaaa"
    group: "db"
    pass: 5
    rule: "unpinned"
    since: 1760000361000
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1

661.000 s, 10 held (10 decided, last at 631.000 s), 12 lists, 0 other calls, 0 probes
  - /default/Hold/ID/unpinned/db/status
  ~ /default/Cluster/ID/status
    holds: 0

961.000 s, 10 quiet (2 decided, last at 931.000 s), 9 lists, 0 other calls, 0 probes
=== groups say different versions
  ~ /default/Control/ID/status
    unheard: {"sim":[1,960001,960001]}
  + /default/Hold/ID/unlisted/status
    cluster: "shop"
    fact: "sim: groups of this cluster name the plugin with different versions, addresses or digests; unmanaged: 2 machines"
    pass: 7
    rule: "unlisted"
    since: 1760000961000
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":3}
    observed: 11
  + /default/Job/ID/00000000000000000011/status
    begun: 1760000961000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":1,"updated":1,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":3}
    problems: []
    revision: 11
    state: "waiting"
    waits: ["unlisted"]

1081.000 s, 4 held (4 decided, last at 1051.000 s), 0 lists, 0 other calls, 0 probes
=== and the same again
  ~ /default/Control/ID/status
    series: {"fbae27432718":[3,1,1080001]}
    unheard: (none)
  + /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    created: 1080001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760001081000
    pass: 8
    reason: "free_slot"
    slot: 1
    state: "create"
  - /default/Hold/ID/unlisted/status
  ~ /default/Cluster/ID/status
    holds: 0
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":3}
    observed: 13
  ~ /default/Job/ID/00000000000000000011/status
    ended: 1760001081000
    state: "superseded"
    supersededBy: "job/13"
  + /default/Job/ID/00000000000000000013/status
    begun: 1760001081000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":1,"updated":1,"wanted":2}]
    machines: {"creating":1,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":3}
    problems: []
    revision: 13
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true
    id: "sim-3"

1083.000 s, 1 done, 4 quiet (5 decided, last at 1082.500 s), 6 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    active: 1082001
    pass: 9
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000013/status
    ended: 1760001083000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}
    state: "done"

wants 56
=== the end
1381.000 s, 1 done, 10 quiet (2 decided, last at 1353.500 s), 10 lists, 0 other calls, 0 probes
=== machines
sim-1 db/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-3 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1081000 ended 0 stopped 0 reboots 0 at 0 ''
=== events
cluster.created: actor "ana" groups ["db","web"] sums {"change":0,"create":2,"destroy":0,"groups":2,"nodes":2,"reboot":0,"replace":0}
machine.wanted: fact "size is 1, 0 recorded" group "db" node "db-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 1, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
hold.began: fact "1 with digest 1234abcd" group "db" pass 1 rule "unpinned"
job.began: fact "job/1"
machine.created: group "web" id "sim-2" node "web-0" pass 1 rule "free_slot" slot 0
machine.created: group "db" id "sim-1" node "db-0" pass 1 rule "free_slot" slot 0
machine.ready: fact "sim-1 runs" group "db" id "sim-1" node "db-0" pass 2 rule "activate" slot 0
machine.ready: fact "sim-2 runs" group "web" id "sim-2" node "web-0" pass 2 rule "activate" slot 0
hold.approved: actor "ana" group "db" rule "unpinned"
hold.ended: group "db" pass 4 rule "unpinned"
job.done: fact "job/1"
hold.began: fact "1 with digest 9999aaaa" group "db" pass 5 rule "unpinned"
hold.ended: group "db" pass 6 rule "unpinned"
cluster.changed: actor "ana" groups ["db","web"] sums {"change":1,"create":1,"destroy":0,"groups":2,"nodes":3,"reboot":0,"replace":0}
hold.began: fact "sim: groups of this cluster name the plugin with different versions, addresses or digests; unmanaged: 2 machines" pass 7 rule "unlisted"
job.began: fact "job/11"
cluster.changed: actor "ana" groups ["web"] sums {"change":2,"create":0,"destroy":0,"groups":1,"nodes":2,"reboot":0,"replace":0}
machine.wanted: fact "size is 2, 1 recorded" group "web" node "web-1" pass 8 rule "free_slot" slot 1
hold.ended: pass 8 rule "unlisted"
job.began: fact "job/13"
machine.created: group "web" id "sim-3" node "web-1" pass 8 rule "free_slot" slot 1
machine.ready: fact "sim-3 runs" group "web" id "sim-3" node "web-1" pass 9 rule "activate" slot 1
job.done: fact "job/13"
