121.000 s (0 decided, last at 93.500 s), 0 lists, 0 other calls, 0 probes
=== files of the store are put back
  + /default/Lease/ID/status
    ahead: -999
    clock: "lab"
    session: "life-2"

  + /default/Hold/ID/store_went_back/status
    cluster: "shop"
    fact: "2 machines that the store never recorded, for example sim-2"
    pass: 3
    rule: "store_went_back"
    since: 1760000121000
    wouldCreate: 0
    wouldDestroy: 0
  + /default/Cluster/ID/status
    holds: 1
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":1,"unhealthy":0,"unreachable":0,"wanted":1}
    observed: 7
  + /default/Job/ID/00000000000000000007/status
    begun: 1760000121000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":1,"updated":1,"wanted":1}
    problems: []
    revision: 7
    state: "waiting"
    waits: ["store_went_back"]

=== store_went_back of shop is answered
721.000 s, 20 held (20 decided, last at 691.000 s), 21 lists, 0 other calls, 0 probes
  + /default/Control/ID/status
    series: {"fbae27432718":[1,1,1]}
    sighted: {"sim-2":[1,720001,720001,"spared"],"sim-3":[1,720001,720001,"spared"]}
  + /default/Hold/ID/foreign/status
    cluster: "shop"
    fact: "2 machines with tags of reeve that this reeve did not create"
    pass: 4
    rule: "foreign"
    since: 1760000721000
    sources: ["sim"]
    wouldCreate: 0
    wouldDestroy: 0
  - /default/Hold/ID/store_went_back/status
  ~ /default/Job/ID/00000000000000000007/status
    waits: ["foreign"]

2521.000 s, 61 held (61 decided, last at 2491.000 s), 60 lists, 0 other calls, 0 probes
=== two are requested
  ~ /default/Control/ID/status
    series: {"7fa3cb7da0a8":[1,2520001,2520001],"fbae27432718":[1,1,1]}
  + /default/Resource/ID/7fa3cb7da0a8000000012c80c771e46a/status
    created: 2520001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760002521000
    pass: 5
    reason: "free_slot"
    slot: 1
    state: "create"
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":1,"unhealthy":0,"unreachable":0,"wanted":2}
    observed: 16
  ~ /default/Job/ID/00000000000000000007/status
    ended: 1760002521000
    state: "superseded"
    supersededBy: "job/16"
  + /default/Job/ID/00000000000000000016/status
    begun: 1760002521000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":1,"updated":1,"wanted":2}]
    machines: {"creating":1,"leaving":0,"old":0,"ready":1,"updated":1,"wanted":2}
    problems: []
    revision: 16
    state: "running"
    waits: ["foreign"]

  ~ /default/Resource/ID/7fa3cb7da0a8000000012c80c771e46a/status
    answered: true
    id: "sim-4"

2523.000 s, 1 done, 4 held (5 decided, last at 2522.500 s), 6 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/7fa3cb7da0a8000000012c80c771e46a/status
    active: 2522001
    pass: 6
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":2}
  ~ /default/Job/ID/00000000000000000016/status
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}
    state: "waiting"

=== the end
4321.000 s, 1 done, 60 held (61 decided, last at 4293.500 s), 60 lists, 0 other calls, 0 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 61000 ended 0 stopped 0 reboots 0 at 0 ''
sim-3 web/2 {"resourcePlugin":"sim"} zone '' labels  made 61000 ended 0 stopped 0 reboots 0 at 0 ''
sim-4 web/1 {"resourcePlugin":"sim"} zone '' labels  made 2521000 ended 0 stopped 0 reboots 0 at 0 ''
=== events
hold.began: fact "2 machines that the store never recorded, for example sim-2" pass 3 rule "store_went_back"
job.began: fact "job/7"
hold.rejected: actor "ana" rule "store_went_back"
hold.began: fact "2 machines with tags of reeve that this reeve did not create" pass 4 rule "foreign"
hold.ended: pass 4 rule "store_went_back"
cluster.changed: actor "ana" groups ["web"] sums {"change":0,"create":1,"destroy":0,"groups":1,"nodes":2,"reboot":0,"replace":0}
machine.wanted: fact "size is 2, 1 recorded" group "web" node "web-1" pass 5 rule "free_slot" slot 1
job.began: fact "job/16"
machine.created: group "web" id "sim-4" node "web-1" pass 5 rule "free_slot" slot 1
machine.ready: fact "sim-4 runs" group "web" id "sim-4" node "web-1" pass 6 rule "activate" slot 1
