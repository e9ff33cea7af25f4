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
  + /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
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
    machines: {"creating":3,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":3}
    observed: 1
  + /default/Job/ID/00000000000000000001/status
    begun: 1760000001000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":1,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1},{"creating":2,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":2}]
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
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}
    state: "done"

61.000 s, 1 done, 2 quiet (2 decided, last at 33.500 s), 2 lists, 0 other calls, 0 probes
=== the counts of the cluster
  ~ /default/Control/ID/status
    (bytes)

63.500 s (0 decided, last at 33.500 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    held: true
    incarnationSince: 62501
    spent: [[2147483647,62501]]
  + /default/Control/ID/web/status
    absent: {"fbae27432718000000034981fbfa71b6":[1,62501,62501]}
  + /default/Hold/ID/store_went_back/status
    cluster: "shop"
    fact: "the store was restored from a backup"
    pass: 3
    rule: "store_went_back"
    since: 1760000063500
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1

123.500 s, 2 done (2 decided, last at 93.500 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae27432718000000034981fbfa71b6":[2,62501,122501]}

153.500 s, 2 done (2 decided, last at 153.500 s), 1 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000034981fbfa71b6":[1,152501,152501,"gone"]}

158.500 s, 2 done (2 decided, last at 158.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000034981fbfa71b6":[2,152501,157501,"gone"]}

163.500 s, 2 done (2 decided, last at 163.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000034981fbfa71b6":[3,152501,162501,"gone"]}

168.500 s, 2 done (2 decided, last at 168.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000034981fbfa71b6":[4,152501,167501,"gone"]}

173.500 s, 2 done (2 decided, last at 173.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000034981fbfa71b6":[5,152501,172501,"gone"]}

178.500 s, 2 done (2 decided, last at 178.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000034981fbfa71b6":[6,152501,177501,"gone"]}

181.000 s, 1 done (1 decided, last at 178.500 s), 1 lists, 0 other calls, 0 probes
=== and of the group
  ~ /default/Control/ID/status
    held: (none)
    incarnation: (none)
    incarnationSince: (none)
    spent: (none)

  ~ /default/Control/ID/web/status
    (bytes)

183.500 s (0 decided, last at 178.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    held: true
    incarnationSince: 182501
  ~ /default/Control/ID/web/status
    absent: {"fbae27432718000000034981fbfa71b6":[1,182501,182501]}

243.500 s, 2 done (2 decided, last at 213.500 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae27432718000000034981fbfa71b6":[2,182501,242501]}

273.500 s, 2 done (2 decided, last at 273.500 s), 1 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000034981fbfa71b6":[1,272501,272501,"gone"]}

278.500 s, 2 done (2 decided, last at 278.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000034981fbfa71b6":[2,272501,277501,"gone"]}

283.500 s, 2 done (2 decided, last at 283.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000034981fbfa71b6":[3,272501,282501,"gone"]}

288.500 s, 2 done (2 decided, last at 288.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000034981fbfa71b6":[4,272501,287501,"gone"]}

293.500 s, 2 done (2 decided, last at 293.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000034981fbfa71b6":[5,272501,292501,"gone"]}

298.500 s, 2 done (2 decided, last at 298.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000034981fbfa71b6":[6,272501,297501,"gone"]}

301.000 s, 1 done (1 decided, last at 298.500 s), 1 lists, 0 other calls, 0 probes
  - /default/Control/ID/web/status

303.500 s (0 decided, last at 298.500 s), 1 lists, 0 other calls, 0 probes
  + /default/Control/ID/web/status
    absent: {"fbae27432718000000034981fbfa71b6":[1,302501,302501]}

363.500 s, 2 done (2 decided, last at 333.500 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae27432718000000034981fbfa71b6":[2,302501,362501]}

393.500 s, 2 done (2 decided, last at 393.500 s), 1 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000034981fbfa71b6":[1,392501,392501,"gone"]}

398.500 s, 2 done (2 decided, last at 398.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000034981fbfa71b6":[2,392501,397501,"gone"]}

403.500 s, 2 done (2 decided, last at 403.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000034981fbfa71b6":[3,392501,402501,"gone"]}

408.500 s, 2 done (2 decided, last at 408.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000034981fbfa71b6":[4,392501,407501,"gone"]}

413.500 s, 2 done (2 decided, last at 413.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000034981fbfa71b6":[5,392501,412501,"gone"]}

418.500 s, 2 done (2 decided, last at 418.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000034981fbfa71b6":[6,392501,417501,"gone"]}

421.000 s, 1 done (1 decided, last at 418.500 s), 1 lists, 0 other calls, 0 probes
=== an answer to a hold that is not there
423.500 s, 2 done (2 decided, last at 421.000 s), 3 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae27432718000000034981fbfa71b6":[3,302501,422501]}

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000034981fbfa71b6":[7,392501,422501,"gone"]}

428.500 s, 3 done (3 decided, last at 428.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000034981fbfa71b6":[8,392501,427501,"gone"]}

433.500 s, 2 done (2 decided, last at 433.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000034981fbfa71b6":[9,392501,432501,"gone"]}

438.500 s, 2 done (2 decided, last at 438.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000034981fbfa71b6":[10,392501,437501,"gone"]}

443.500 s, 2 done (2 decided, last at 443.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000034981fbfa71b6":[11,392501,442501,"gone"]}

448.500 s, 2 done (2 decided, last at 448.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000034981fbfa71b6":[12,392501,447501,"gone"]}

453.500 s, 2 done (2 decided, last at 453.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000034981fbfa71b6":[13,392501,452501,"gone"]}

458.500 s, 2 done (2 decided, last at 458.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000034981fbfa71b6":[14,392501,457501,"gone"]}

463.500 s, 2 done (2 decided, last at 463.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000034981fbfa71b6":[15,392501,462501,"gone"]}

468.500 s, 2 done (2 decided, last at 468.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000034981fbfa71b6":[16,392501,467501,"gone"]}

473.500 s, 2 done (2 decided, last at 473.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000034981fbfa71b6":[17,392501,472501,"gone"]}

478.500 s, 2 done (2 decided, last at 478.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000034981fbfa71b6":[18,392501,477501,"gone"]}

541.000 s, 1 done, 2 held (3 decided, last at 513.500 s), 3 lists, 0 other calls, 0 probes
=== holds and jobs
  + /default/Hold/ID/foreign/status
    (bytes)

  + /default/Hold/ID/quarantine/status
    sources: ["aws"]

  ~ /default/Job/ID/00000000000000000001/status
    (bytes)

  ~ /default/Cluster/ID/status
    observed: 99
    holds: (none)
    machines: (none)

  - /default/Hold/ID/foreign/status
  - /default/Hold/ID/quarantine/status
  ~ /default/Cluster/ID/status
    holds: 1
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}

661.000 s, 5 held (5 decided, last at 631.000 s), 6 lists, 0 other calls, 0 probes
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":2}
  + /default/Job/ID/00000000000000000055/status
    begun: 1760000661000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":1}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":2}
    problems: []
    revision: 55
    state: "waiting"
    waits: ["store_went_back"]

=== the end
781.000 s, 4 held (4 decided, last at 751.000 s), 3 lists, 0 other calls, 0 probes
=== machines
sim-1 db/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-3 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 61000 stopped 0 reboots 0 at 0 ''
=== events
cluster.created: actor "ana" groups ["db","web"] sums {"change":0,"create":3,"destroy":0,"groups":2,"nodes":3,"reboot":0,"replace":0}
machine.wanted: fact "size is 1, 0 recorded" group "db" node "db-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 2, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 2, 0 recorded" group "web" node "web-1" pass 1 rule "free_slot" slot 1
job.began: fact "job/1"
machine.created: group "web" id "sim-3" node "web-1" pass 1 rule "free_slot" slot 1
machine.created: group "web" id "sim-2" node "web-0" pass 1 rule "free_slot" slot 0
machine.created: group "db" id "sim-1" node "db-0" pass 1 rule "free_slot" slot 0
machine.ready: fact "sim-1 runs" group "db" id "sim-1" node "db-0" pass 2 rule "activate" slot 0
machine.ready: fact "sim-2 runs" group "web" id "sim-2" node "web-0" pass 2 rule "activate" slot 0
machine.ready: fact "sim-3 runs" group "web" id "sim-3" node "web-1" pass 2 rule "activate" slot 1
job.done: fact "job/1"
hold.began: fact "the store was restored from a backup" pass 3 rule "store_went_back"
hold.ended: pass 4 rule "foreign"
hold.ended: pass 4 rule "quarantine"
cluster.changed: actor "ana" groups ["web"] sums {"change":0,"create":0,"destroy":1,"groups":1,"nodes":1,"reboot":0,"replace":0}
job.began: fact "job/55"
