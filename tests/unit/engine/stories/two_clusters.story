1.000 s (0 decided, last at 0.000 s), 0 lists, 0 other calls, 0 probes
  + /default/Lease/00000001-0000-4000-8000-000000000000/status
    ahead: -999
    clock: "lab"
    session: "life-1"

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
    observed: 2
  + /default/Job/ID/00000000000000000002/status
    begun: 1760000001000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":2,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":2}]
    machines: {"creating":2,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":2}
    problems: []
    revision: 2
    state: "running"
    waits: []

  + /default/Control/00000001-0000-4000-8000-000000000000/status
    series: {"4981fbfa71b6":[2,1,1]}
  + /default/Resource/00000001-0000-4000-8000-000000000000/4981fbfa71b6000000017fa3cb7da0a8/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 0
    state: "create"
  + /default/Resource/00000001-0000-4000-8000-000000000000/4981fbfa71b6000000022c80c771e46a/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 1
    state: "create"
  + /default/Cluster/00000001-0000-4000-8000-000000000000/status
    holds: 0
    machines: {"creating":2,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":2}
    observed: 1
  + /default/Job/00000001-0000-4000-8000-000000000000/00000000000000000001/status
    begun: 1760000001000
    by: "ana"
    cluster: "mall"
    groups: [{"creating":2,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":2}]
    machines: {"creating":2,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":2}
    problems: []
    revision: 1
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true
    id: "sim-3"
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true
    id: "sim-1"

  ~ /default/Resource/00000001-0000-4000-8000-000000000000/4981fbfa71b6000000022c80c771e46a/status
    answered: true
    id: "sim-4"
  ~ /default/Resource/00000001-0000-4000-8000-000000000000/4981fbfa71b6000000017fa3cb7da0a8/status
    answered: true
    id: "sim-2"

3.000 s, 2 done, 8 quiet (10 decided, last at 2.500 s), 12 lists, 4 other calls, 0 probes
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
  ~ /default/Job/ID/00000000000000000002/status
    ended: 1760000003000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}
    state: "done"

  ~ /default/Resource/00000001-0000-4000-8000-000000000000/4981fbfa71b6000000017fa3cb7da0a8/status
    active: 2001
    pass: 2
    state: "active"
  ~ /default/Resource/00000001-0000-4000-8000-000000000000/4981fbfa71b6000000022c80c771e46a/status
    active: 2001
    pass: 2
    state: "active"
  ~ /default/Cluster/00000001-0000-4000-8000-000000000000/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":2}
  ~ /default/Job/00000001-0000-4000-8000-000000000000/00000000000000000001/status
    ended: 1760000003000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}
    state: "done"

61.000 s, 2 done, 4 quiet (4 decided, last at 33.500 s), 4 lists, 0 other calls, 0 probes
=== all machines of the second one are gone, and the provider fails a while
63.500 s (0 decided, last at 33.500 s), 4 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    unheard: {"sim":[1,62501,62501]}

  ~ /default/Control/00000001-0000-4000-8000-000000000000/status
    unheard: {"sim":[1,62501,62501]}

224.498 s, 16 unheard (16 decided, last at 153.079 s), 11 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/status
    unheard: (none)
  + /default/Hold/ID/listing_brake/web/status
    cluster: "shop"
    fact: "2 of 2 machines are missing"
    group: "web"
    observation: "2-75815f56395e401b"
    pass: 3
    rule: "listing_brake"
    since: 1760000224498
    wouldCreate: 2
    wouldDestroy: 2
  ~ /default/Cluster/ID/status
    holds: 1

  + /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[1,223499,223499,"gone"]}

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[1,223499,223499,"gone"],"fbae2743271800000002de820479c4a8":[1,223499,223499,"gone"]}

229.498 s, 3 done, 1 held (4 decided, last at 229.498 s), 3 lists, 2 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[2,223499,228499,"gone"],"fbae2743271800000002de820479c4a8":[1,223499,223499,"gone"]}

  ~ /default/Control/ID/web/status
    absent: {"fbae27432718000000014bd8c442c5f8":[1,228499,228499],"fbae2743271800000002de820479c4a8":[1,228499,228499]}
  - /default/Hold/ID/listing_brake/web/status
  ~ /default/Cluster/ID/status
    holds: 0

275.281 s, 3 done (3 decided, last at 264.498 s), 4 lists, 0 other calls, 0 probes
  ~ /default/Control/00000001-0000-4000-8000-000000000000/status
    unheard: (none)

294.498 s, 1 quiet (1 decided, last at 275.281 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae27432718000000014bd8c442c5f8":[2,228499,293499],"fbae2743271800000002de820479c4a8":[2,228499,293499]}

324.498 s, 2 done, 1 quiet (3 decided, last at 324.498 s), 2 lists, 2 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[3,223499,323499,"gone"],"fbae2743271800000002de820479c4a8":[2,223499,323499,"gone"]}

329.498 s, 2 done (2 decided, last at 329.498 s), 2 lists, 2 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[4,223499,328499,"gone"],"fbae2743271800000002de820479c4a8":[3,223499,328499,"gone"]}

334.498 s, 2 done (2 decided, last at 334.498 s), 2 lists, 2 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[5,223499,333499,"gone"],"fbae2743271800000002de820479c4a8":[4,223499,333499,"gone"]}

339.498 s, 2 done, 1 quiet (2 decided, last at 339.498 s), 3 lists, 2 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[6,223499,338499,"gone"],"fbae2743271800000002de820479c4a8":[5,223499,338499,"gone"]}

344.498 s, 2 done (2 decided, last at 344.498 s), 2 lists, 2 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[7,223499,343499,"gone"],"fbae2743271800000002de820479c4a8":[6,223499,343499,"gone"]}

349.498 s, 2 done (2 decided, last at 349.498 s), 2 lists, 2 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[8,223499,348499,"gone"],"fbae2743271800000002de820479c4a8":[7,223499,348499,"gone"]}

354.498 s, 1 done (1 decided, last at 349.498 s), 2 lists, 2 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae27432718000000014bd8c442c5f8":[3,228499,353499],"fbae2743271800000002de820479c4a8":[3,228499,353499]}

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[9,223499,353499,"gone"],"fbae2743271800000002de820479c4a8":[8,223499,353499,"gone"]}

359.498 s, 3 done (3 decided, last at 359.498 s), 2 lists, 2 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[10,223499,358499,"gone"],"fbae2743271800000002de820479c4a8":[9,223499,358499,"gone"]}

364.498 s, 2 done (2 decided, last at 364.498 s), 2 lists, 2 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[11,223499,363499,"gone"],"fbae2743271800000002de820479c4a8":[10,223499,363499,"gone"]}

369.498 s, 2 done, 1 quiet (2 decided, last at 369.498 s), 3 lists, 2 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[12,223499,368499,"gone"],"fbae2743271800000002de820479c4a8":[11,223499,368499,"gone"]}

374.498 s, 2 done (2 decided, last at 374.498 s), 2 lists, 2 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[13,223499,373499,"gone"],"fbae2743271800000002de820479c4a8":[12,223499,373499,"gone"]}

379.498 s, 2 done (2 decided, last at 379.498 s), 2 lists, 2 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[14,223499,378499,"gone"],"fbae2743271800000002de820479c4a8":[13,223499,378499,"gone"]}

384.498 s, 2 done (2 decided, last at 384.498 s), 2 lists, 2 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[15,223499,383499,"gone"],"fbae2743271800000002de820479c4a8":[14,223499,383499,"gone"]}

389.498 s, 2 done (2 decided, last at 389.498 s), 2 lists, 2 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[16,223499,388499,"gone"],"fbae2743271800000002de820479c4a8":[15,223499,388499,"gone"]}

394.498 s, 2 done (2 decided, last at 394.498 s), 2 lists, 2 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[17,223499,393499,"gone"],"fbae2743271800000002de820479c4a8":[16,223499,393499,"gone"]}

399.498 s, 2 done, 1 quiet (2 decided, last at 399.498 s), 3 lists, 2 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[18,223499,398499,"gone"],"fbae2743271800000002de820479c4a8":[17,223499,398499,"gone"]}

404.498 s, 2 done (2 decided, last at 404.498 s), 2 lists, 2 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[19,223499,403499,"gone"],"fbae2743271800000002de820479c4a8":[18,223499,403499,"gone"]}

409.498 s, 1 done (1 decided, last at 404.498 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    condemned: 408499
    pass: 5
    reason: "lost"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    condemned: 408499
    pass: 5
    reason: "lost"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":2,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":2}

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[4,1,408499]}
  + /default/Resource/ID/fbae2743271800000003a90894fbb679/status
    created: 408499
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000409498
    pass: 6
    reason: "free_slot"
    slot: 0
    state: "create"
  + /default/Resource/ID/fbae2743271800000004876c773eb849/status
    created: 408499
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000409498
    pass: 6
    reason: "free_slot"
    slot: 1
    state: "create"
  - /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
  - /default/Resource/ID/fbae2743271800000002de820479c4a8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":2,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":2}

  ~ /default/Resource/ID/fbae2743271800000004876c773eb849/status
    answered: true
    id: "sim-6"
  ~ /default/Resource/ID/fbae2743271800000003a90894fbb679/status
    answered: true
    id: "sim-5"

411.498 s, 2 done, 4 quiet (6 decided, last at 410.998 s), 6 lists, 4 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000004876c773eb849/status
    active: 410499
    pass: 7
    state: "active"
  ~ /default/Resource/ID/fbae2743271800000003a90894fbb679/status
    active: 410499
    pass: 7
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":2}

781.000 s, 1 done, 25 quiet (2 decided, last at 771.998 s), 25 lists, 0 other calls, 0 probes
=== the first one is deleted
  - /default/Cluster/00000001-0000-4000-8000-000000000000/status

  ~ /default/Resource/00000001-0000-4000-8000-000000000000/4981fbfa71b6000000017fa3cb7da0a8/status
    condemned: 780001
    pass: 3
    reason: "scale_in"
    state: "delete"
    answered: (none)
  ~ /default/Resource/00000001-0000-4000-8000-000000000000/4981fbfa71b6000000022c80c771e46a/status
    condemned: 780001
    pass: 3
    reason: "scale_in"
    state: "delete"
    answered: (none)
  + /default/Job/00000001-0000-4000-8000-000000000000/00000000000000000043/status
    begun: 1760000781000
    cluster: "mall"
    groups: [{"creating":0,"generations":[],"group":"web","leaving":2,"old":0,"ready":0,"updated":0,"wanted":0}]
    machines: {"creating":0,"leaving":2,"old":0,"ready":0,"updated":0,"wanted":0}
    problems: []
    revision: 43
    state: "running"
    waits: []

  ~ /default/Resource/00000001-0000-4000-8000-000000000000/4981fbfa71b6000000022c80c771e46a/status
    answered: true
  ~ /default/Resource/00000001-0000-4000-8000-000000000000/4981fbfa71b6000000017fa3cb7da0a8/status
    answered: true

  - /default/Resource/00000001-0000-4000-8000-000000000000/4981fbfa71b6000000017fa3cb7da0a8/status
  - /default/Resource/00000001-0000-4000-8000-000000000000/4981fbfa71b6000000022c80c771e46a/status
  ~ /default/Job/00000001-0000-4000-8000-000000000000/00000000000000000043/status
    ended: 1760000781000
    groups: []
    machines: {"creating":0,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":0}
    state: "done"

786.000 s, 2 done (2 decided, last at 781.000 s), 2 lists, 2 other calls, 0 probes
  - /default/Control/00000001-0000-4000-8000-000000000000/status

=== the end
1381.000 s, 21 quiet (2 decided, last at 1371.998 s), 21 lists, 0 other calls, 0 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 61000 stopped 0 reboots 0 at 0 ''
sim-3 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 61000 stopped 0 reboots 0 at 0 ''
sim-5 web/0 {"resourcePlugin":"sim"} zone '' labels  made 409498 ended 0 stopped 0 reboots 0 at 0 ''
sim-6 web/1 {"resourcePlugin":"sim"} zone '' labels  made 409498 ended 0 stopped 0 reboots 0 at 0 ''
=== events
cluster.created: actor "ana" groups ["web"] sums {"change":0,"create":2,"destroy":0,"groups":1,"nodes":2,"reboot":0,"replace":0}
machine.wanted: fact "size is 2, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 2, 0 recorded" group "web" node "web-1" pass 1 rule "free_slot" slot 1
job.began: fact "job/2"
machine.created: group "web" id "sim-3" node "web-1" pass 1 rule "free_slot" slot 1
machine.created: group "web" id "sim-1" node "web-0" pass 1 rule "free_slot" slot 0
machine.ready: fact "sim-1 runs" group "web" id "sim-1" node "web-0" pass 2 rule "activate" slot 0
machine.ready: fact "sim-3 runs" group "web" id "sim-3" node "web-1" pass 2 rule "activate" slot 1
job.done: fact "job/2"
hold.began: fact "2 of 2 machines are missing" group "web" pass 3 rule "listing_brake"
hold.ended: group "web" pass 4 rule "listing_brake"
machine.condemned: fact "4 absences; 19 lookups by id did not find the machine" group "web" id "sim-1" node "web-0" pass 5 rule "lost" slot 0
machine.condemned: fact "4 absences; 18 lookups by id did not find the machine" group "web" id "sim-3" node "web-1" pass 5 rule "lost" slot 1
machine.destroyed: group "web" id "sim-3" node "web-1" pass 5 rule "lost" slot 1
machine.destroyed: group "web" id "sim-1" node "web-0" pass 5 rule "lost" slot 0
machine.wanted: fact "size is 2, 0 recorded" group "web" node "web-0" pass 6 rule "free_slot" slot 0
machine.wanted: fact "size is 2, 0 recorded" group "web" node "web-1" pass 6 rule "free_slot" slot 1
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-1" node "web-0" pass 6 rule "forget" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-3" node "web-1" pass 6 rule "forget" slot 1
machine.created: group "web" id "sim-6" node "web-1" pass 6 rule "free_slot" slot 1
machine.created: group "web" id "sim-5" node "web-0" pass 6 rule "free_slot" slot 0
machine.ready: fact "sim-6 runs" group "web" id "sim-6" node "web-1" pass 7 rule "activate" slot 1
machine.ready: fact "sim-5 runs" group "web" id "sim-5" node "web-0" pass 7 rule "activate" slot 0
