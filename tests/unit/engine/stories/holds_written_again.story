1.000 s (0 decided, last at 0.000 s), 0 lists, 0 other calls, 0 probes
  + /default/Lease/ID/status
    ahead: -999
    clock: "lab"
    session: "life-1"

  + /default/Control/ID/status
    series: {"fbae27432718":[3,1,1]}
    unheard: {"aws":[1,1,1],"gcp":[1,1,1]}
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
  + /default/Hold/ID/unlisted/status
    cluster: "shop"
    fact: "aws: try 0 of 3; gcp: try 0 of 3"
    pass: 1
    rule: "unlisted"
    since: 1760000001000
    wouldCreate: 0
    wouldDestroy: 0
  + /default/Cluster/ID/status
    holds: 1
    machines: {"creating":3,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":6}
    observed: 1
  + /default/Job/ID/00000000000000000001/status
    begun: 1760000001000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["be278337af7648b5"],"group":"db","leaving":0,"old":0,"ready":0,"updated":0,"wanted":2},{"creating":0,"generations":["8b2c59d3bfca091a"],"group":"mq","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1},{"creating":3,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":3}]
    machines: {"creating":3,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":6}
    problems: []
    revision: 1
    state: "running"
    waits: ["unlisted"]

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true
    id: "sim-3"
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true
    id: "sim-2"
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true
    id: "sim-1"

3.000 s, 1 done, 4 held (5 decided, last at 2.500 s), 6 lists, 3 other calls, 0 probes
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
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":6}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"creating":0,"generations":["be278337af7648b5"],"group":"db","leaving":0,"old":0,"ready":0,"updated":0,"wanted":2},{"creating":0,"generations":["8b2c59d3bfca091a"],"group":"mq","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":6}
    state: "waiting"

61.000 s, 1 done, 2 held (3 decided, last at 33.500 s), 2 lists, 0 other calls, 0 probes
=== try 1 of 3
121.000 s, 2 held (2 decided, last at 93.500 s), 2 lists, 0 other calls, 0 probes
=== try 22 of 3
181.000 s, 2 held (2 decided, last at 153.500 s), 2 lists, 0 other calls, 0 probes
=== try 22 of 3 
183.500 s (0 decided, last at 153.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Hold/ID/unlisted/status
    fact: "aws: try 22 of 3 ; gcp: try 22 of 3 "
    pass: 3

241.000 s, 2 held (2 decided, last at 213.500 s), 1 lists, 0 other calls, 0 probes
=== try 2 of
243.500 s (0 decided, last at 213.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Hold/ID/unlisted/status
    fact: "aws: try 2 of; gcp: try 2 of"
    pass: 4

301.000 s, 2 held (2 decided, last at 273.500 s), 1 lists, 0 other calls, 0 probes
=== 3 try 2 of
303.500 s (0 decided, last at 273.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Hold/ID/unlisted/status
    fact: "aws: 3 try 2 of; gcp: 3 try 2 of"
    pass: 5

361.000 s, 2 held (2 decided, last at 333.500 s), 1 lists, 0 other calls, 0 probes
=== try x of 4
363.500 s (0 decided, last at 333.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Hold/ID/unlisted/status
    fact: "aws: try x of 4; gcp: try x of 4"
    pass: 6

421.000 s, 2 held (2 decided, last at 393.500 s), 1 lists, 0 other calls, 0 probes
=== try 2 of 4
423.500 s (0 decided, last at 393.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Hold/ID/unlisted/status
    fact: "aws: try 2 of 4; gcp: try 2 of 4"
    pass: 7

481.000 s, 2 held (2 decided, last at 453.500 s), 1 lists, 0 other calls, 0 probes
=== 
483.500 s (0 decided, last at 453.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Hold/ID/unlisted/status
    fact: "aws: the listing is incomplete; gcp: the listing is incomplete"
    pass: 8

541.000 s, 2 held (2 decided, last at 513.500 s), 1 lists, 0 other calls, 0 probes
=== 1
543.500 s (0 decided, last at 513.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Hold/ID/unlisted/status
    fact: "aws: 1; gcp: 1"
    pass: 9

601.000 s, 2 held (2 decided, last at 573.500 s), 1 lists, 0 other calls, 0 probes
=== a
603.500 s (0 decided, last at 573.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Hold/ID/unlisted/status
    fact: "aws: a; gcp: a"
    pass: 10

661.000 s, 2 held (2 decided, last at 633.500 s), 1 lists, 0 other calls, 0 probes
=== try 2 of 4
663.500 s (0 decided, last at 633.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Hold/ID/unlisted/status
    fact: "aws: try 2 of 4; gcp: try 2 of 4"
    pass: 11

721.000 s, 2 held (2 decided, last at 693.500 s), 1 lists, 0 other calls, 0 probes
=== the listing of the other one fails as well
723.500 s (0 decided, last at 693.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    unheard: {"aws":[1,1,1],"gcp":[1,1,1],"sim":[1,722501,722501]}
  ~ /default/Hold/ID/unlisted/status
    fact: "aws: try 2 of 4; gcp: try 2 of 4; unmanaged: 3 machines"
    pass: 12

923.767 s, 8 unheard (8 decided, last at 810.779 s), 8 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    unheard: {"aws":[1,1,1],"gcp":[1,1,1]}
  ~ /default/Hold/ID/unlisted/status
    fact: "aws: try 2 of 4; gcp: try 2 of 4"
    pass: 13

1021.000 s, 4 held (4 decided, last at 1013.767 s), 3 lists, 0 other calls, 0 probes
=== one of them is not wanted any more
  ~ /default/Control/ID/status
    unheard: {"gcp":[1,1,1]}
  ~ /default/Hold/ID/unlisted/status
    fact: "gcp: try 2 of 4"
    pass: 14
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":4}
    observed: 17
  ~ /default/Job/ID/00000000000000000001/status
    ended: 1760001021000
    state: "superseded"
    supersededBy: "job/17"
  + /default/Job/ID/00000000000000000017/status
    begun: 1760001021000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["8b2c59d3bfca091a"],"group":"mq","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":4}
    problems: []
    revision: 17
    state: "waiting"
    waits: ["unlisted"]

=== the end
1141.000 s, 4 held (4 decided, last at 1111.000 s), 4 lists, 0 other calls, 0 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-3 web/2 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
=== events
cluster.created: actor "ana" groups ["db","mq","web"] sums {"change":0,"create":6,"destroy":0,"groups":3,"nodes":6,"reboot":0,"replace":0}
machine.wanted: fact "size is 3, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 3, 0 recorded" group "web" node "web-1" pass 1 rule "free_slot" slot 1
machine.wanted: fact "size is 3, 0 recorded" group "web" node "web-2" pass 1 rule "free_slot" slot 2
hold.began: fact "aws: try 0 of 3; gcp: try 0 of 3" pass 1 rule "unlisted"
job.began: fact "job/1"
machine.created: group "web" id "sim-3" node "web-2" pass 1 rule "free_slot" slot 2
machine.created: group "web" id "sim-2" node "web-1" pass 1 rule "free_slot" slot 1
machine.created: group "web" id "sim-1" node "web-0" pass 1 rule "free_slot" slot 0
machine.ready: fact "sim-1 runs" group "web" id "sim-1" node "web-0" pass 2 rule "activate" slot 0
machine.ready: fact "sim-2 runs" group "web" id "sim-2" node "web-1" pass 2 rule "activate" slot 1
machine.ready: fact "sim-3 runs" group "web" id "sim-3" node "web-2" pass 2 rule "activate" slot 2
cluster.changed: actor "ana" groups ["db"] sums {"change":0,"create":0,"destroy":2,"groups":0,"nodes":0,"reboot":0,"replace":0}
job.began: fact "job/17"
