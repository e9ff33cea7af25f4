121.000 s (0 decided, last at 93.500 s), 0 lists, 0 other calls, 0 probes
=== an older store, of another life, is in its place
  + /default/Lease/ID/status
    ahead: -999
    clock: "lab"
    session: "life-2"

  + /default/Control/ID/status
    held: true
    incarnationSince: 120001
    series: {"fbae27432718":[2,1,1]}
  + /default/Hold/ID/store_went_back/status
    cluster: "shop"
    fact: "2 machines that the store never recorded, for example sim-3"
    pass: 3
    rule: "store_went_back"
    since: 1760000121000
    wouldCreate: 0
    wouldDestroy: 0
  + /default/Cluster/ID/status
    holds: 1
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":2}
    observed: 7
  + /default/Job/ID/00000000000000000007/status
    begun: 1760000121000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}
    problems: []
    revision: 7
    state: "waiting"
    waits: ["store_went_back"]

3721.000 s, 120 held (120 decided, last at 3691.000 s), 120 lists, 0 other calls, 0 probes
=== approved, with room for one of the two
=== store_went_back of shop is answered
  ~ /default/Control/ID/status
    series: {"2c80c771e46a":[1,3720001,3720001],"fbae27432718":[2,1,1]}
    sighted: {"sim-4":[1,3720001,3720001,"spared"]}
    held: (none)
  + /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    active: 3720001
    created: 3720001
    generation: "58c2d4f2b51c301b"
    group: "web"
    id: "sim-3"
    made: 1760003721000
    pass: 4
    reason: "store_went_back"
    slot: 2
    state: "active"
  ~ /default/Cluster/ID/status
    holds: 0
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}
    observed: 15
  ~ /default/Job/ID/00000000000000000007/status
    ended: 1760003721000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}
    state: "done"
    waits: []

3726.000 s, 1 done (1 decided, last at 3721.000 s), 2 lists, 0 other calls, 0 probes
  + /default/Hold/ID/foreign/status
    cluster: "shop"
    fact: "1 machine with tags of reeve that this reeve did not create"
    pass: 5
    rule: "foreign"
    since: 1760003726000
    sources: ["sim"]
    wouldCreate: 0
    wouldDestroy: 0
  - /default/Hold/ID/store_went_back/status
  ~ /default/Cluster/ID/status
    holds: 1
  + /default/Job/ID/00000000000000000015/status
    begun: 1760003726000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}
    problems: []
    revision: 15
    state: "waiting"
    waits: ["foreign"]

=== the end
7321.000 s, 121 held (121 decided, last at 7296.000 s), 120 lists, 0 other calls, 0 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-3 web/2 {"resourcePlugin":"sim"} zone '' labels  made 61000 ended 0 stopped 0 reboots 0 at 0 ''
sim-4 web/3 {"resourcePlugin":"sim"} zone '' labels  made 61000 ended 0 stopped 0 reboots 0 at 0 ''
=== events
hold.began: fact "2 machines that the store never recorded, for example sim-3" pass 3 rule "store_went_back"
job.began: fact "job/7"
cluster.changed: actor "ana" groups ["web"] sums {"change":0,"create":1,"destroy":0,"groups":1,"nodes":3,"reboot":0,"replace":0}
hold.approved: actor "ana" rule "store_went_back"
machine.adopted: fact "sim-3 runs" group "web" id "sim-3" node "web-2" pass 4 rule "store_went_back" slot 2
job.done: fact "job/7"
hold.began: fact "1 machine with tags of reeve that this reeve did not create" pass 5 rule "foreign"
hold.ended: pass 5 rule "store_went_back"
job.began: fact "job/15"
