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
    address: "sim-1"
    pass: 2
    starting: true
    state: "active"
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    active: 2001
    address: "sim-2"
    pass: 2
    starting: true
    state: "active"
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    active: 2001
    address: "sim-3"
    pass: 2
    starting: true
    state: "active"
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    active: 2001
    address: "sim-4"
    pass: 2
    starting: true
    state: "active"

3.168 s, 1 done (1 decided, last at 3.000 s), 0 lists, 0 other calls, 2 probes
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    cause: "open"
    starting: (none)
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    cause: "open"
    starting: (none)

  ~ /default/Cluster/ID/status
    machines: {"creating":2,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"creating":2,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":4}]
    machines: {"creating":2,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":4}

3.308 s, 1 quiet (1 decided, last at 3.168 s), 1 lists, 0 other calls, 1 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    cause: "open"
    starting: (none)

  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":3,"updated":3,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":4}

3.510 s, 1 quiet (1 decided, last at 3.308 s), 1 lists, 0 other calls, 1 probes
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    cause: "open"
    starting: (none)

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000001/status
    ended: 1760000003510
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}
    state: "done"

121.000 s, 4 quiet (2 decided, last at 93.510 s), 4 lists, 0 other calls, 426 probes
=== web-0 is cut off
123.208 s (0 decided, last at 93.510 s), 0 lists, 0 other calls, 9 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    cause: "no answer"
    silent: 1760000121008
    unreachable: 120009

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":1,"wanted":4}

181.008 s, 2 quiet (2 decided, last at 153.208 s), 4 lists, 0 other calls, 209 probes
  ~ /default/Control/ID/status
    spent: [[1,180009]]
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    condemned: 180009
    losses: 1
    pass: 3
    reason: "unhealthy"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":4}

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[5,1,180009]}
  + /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    created: 180009
    generation: "58c2d4f2b51c301b"
    group: "web"
    losses: 1
    made: 1760000181008
    pass: 4
    reason: "free_slot"
    slot: 0
    state: "create"
  - /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":4}

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true
    id: "sim-5"

183.008 s, 2 done, 4 quiet (6 decided, last at 182.508 s), 6 lists, 2 other calls, 6 probes
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    active: 182009
    address: "sim-5"
    pass: 5
    starting: true
    state: "active"

485.908 s, 1 done, 11 quiet (2 decided, last at 483.508 s), 11 lists, 0 other calls, 1103 probes
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    cause: "no answer"
    silent: 1760000483708
    unreachable: 482709

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":1,"wanted":4}

543.708 s, 2 quiet (2 decided, last at 515.908 s), 4 lists, 0 other calls, 209 probes
  + /default/Hold/ID/budget/web/status
    cluster: "shop"
    fact: "machines that wait for the next window: 1"
    group: "web"
    pass: 6
    rule: "budget"
    since: 1760000543708
    wouldCreate: 1
    wouldDestroy: 1
  ~ /default/Cluster/ID/status
    holds: 1

721.000 s, 6 held (6 decided, last at 693.708 s), 5 lists, 0 other calls, 644 probes
=== it answers again, and then most are cut off: the manager suspects itself
722.308 s (0 decided, last at 693.708 s), 0 lists, 0 other calls, 7 probes
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    cause: "open"
    silent: (none)
    starting: (none)
    unreachable: (none)

  - /default/Hold/ID/budget/web/status
  ~ /default/Cluster/ID/status
    holds: 0
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}

4921.308 s, 140 quiet (8 decided, last at 4892.308 s), 147 lists, 0 other calls, 15276 probes
  + /default/Hold/ID/self_suspicion/status
    cluster: "shop"
    fact: "3 of 4 machines that this manager reached no longer answer"
    observation: "life-1/1"
    pass: 8
    rule: "self_suspicion"
    since: 1760004921308
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1

4923.508 s, 1 held (1 decided, last at 4921.308 s), 0 lists, 0 other calls, 8 probes
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    cause: "no answer"
    silent: 1760004921308
    unreachable: 4920309
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    cause: "no answer"
    silent: 1760004921308
    unreachable: 4920309
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    cause: "no answer"
    silent: 1760004921308
    unreachable: 4920309

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":1,"unhealthy":0,"unreachable":3,"wanted":4}

4981.308 s, 2 held (2 decided, last at 4953.508 s), 3 lists, 0 other calls, 209 probes
  + /default/Hold/ID/unreachable/web/status
    cluster: "shop"
    fact: "3 machines"
    group: "web"
    pass: 9
    rule: "unreachable"
    since: 1760004981308
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 2

=== self_suspicion of shop is answered
5221.000 s, 8 held (8 decided, last at 5191.308 s), 8 lists, 0 other calls, 872 probes
  + /default/Hold/ID/unhealthy_brake/web/status
    cluster: "shop"
    fact: "3 of 4 machines are unhealthy or unreachable"
    group: "web"
    pass: 10
    rule: "unhealthy_brake"
    since: 1760005221000
    wouldCreate: 3
    wouldDestroy: 3
  - /default/Hold/ID/unreachable/web/status
  ~ /default/Cluster/ID/status
    holds: 1

5821.000 s, 20 held (20 decided, last at 5791.000 s), 19 lists, 0 other calls, 2183 probes
=== all answer again
5822.000 s, 1 held (1 decided, last at 5821.000 s), 2 lists, 0 other calls, 4 probes
  + /default/Hold/ID/unreachable/web/status
    cluster: "shop"
    fact: "3 machines"
    group: "web"
    pass: 11
    rule: "unreachable"
    since: 1760005822000
    wouldCreate: 0
    wouldDestroy: 0
  - /default/Hold/ID/self_suspicion/status
  - /default/Hold/ID/unhealthy_brake/web/status

5823.100 s, 2 held (2 decided, last at 5822.000 s), 1 lists, 0 other calls, 4 probes
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    cause: "open"
    silent: (none)
    unreachable: (none)
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    cause: "open"
    silent: (none)
    unreachable: (none)
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    cause: "open"
    silent: (none)
    unreachable: (none)

  - /default/Hold/ID/unreachable/web/status
  ~ /default/Cluster/ID/status
    holds: 0
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}

=== the end
6421.000 s, 20 quiet (2 decided, last at 6393.100 s), 20 lists, 0 other calls, 2173 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 181008 stopped 0 reboots 0 at 0 'unhealthy'
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-3 web/2 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-4 web/3 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-5 web/0 {"resourcePlugin":"sim"} zone '' labels  made 181008 ended 0 stopped 0 reboots 0 at 0 ''
last probe: web-3 at sim-4 port 80, 0 words, within 500 ms
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
machine.ready: fact "open" group "web" id "sim-2" node "web-1" pass 2 rule "probe" slot 1
machine.ready: fact "open" group "web" id "sim-3" node "web-2" pass 2 rule "probe" slot 2
machine.ready: fact "open" group "web" id "sim-1" node "web-0" pass 2 rule "probe" slot 0
machine.ready: fact "open" group "web" id "sim-4" node "web-3" pass 2 rule "probe" slot 3
job.done: fact "job/1"
machine.unreachable: fact "no answer" group "web" id "sim-1" node "web-0" pass 2 rule "probe" slot 0
machine.condemned: fact "for 60 s" group "web" id "sim-1" node "web-0" pass 3 rule "unhealthy" slot 0
machine.destroyed: group "web" id "sim-1" node "web-0" pass 3 rule "unhealthy" slot 0
machine.wanted: fact "size is 4, 3 recorded" group "web" node "web-0" pass 4 rule "free_slot" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-1" node "web-0" pass 4 rule "forget" slot 0
machine.created: group "web" id "sim-5" node "web-0" pass 4 rule "free_slot" slot 0
machine.running: fact "sim-5 runs" group "web" id "sim-5" node "web-0" pass 5 rule "activate" slot 0
machine.unreachable: fact "no answer" group "web" id "sim-5" node "web-0" pass 5 rule "probe" slot 0
hold.began: fact "machines that wait for the next window: 1" group "web" pass 6 rule "budget"
machine.ready: fact "open" group "web" id "sim-5" node "web-0" pass 5 rule "probe" slot 0
hold.ended: group "web" pass 7 rule "budget"
hold.began: fact "3 of 4 machines that this manager reached no longer answer" pass 8 rule "self_suspicion"
machine.unreachable: fact "no answer" group "web" id "sim-2" node "web-1" pass 2 rule "probe" slot 1
machine.unreachable: fact "no answer" group "web" id "sim-3" node "web-2" pass 2 rule "probe" slot 2
machine.unreachable: fact "no answer" group "web" id "sim-5" node "web-0" pass 5 rule "probe" slot 0
hold.began: fact "3 machines" group "web" pass 9 rule "unreachable"
hold.approved: actor "ana" rule "self_suspicion"
hold.began: fact "3 of 4 machines are unhealthy or unreachable" group "web" pass 10 rule "unhealthy_brake"
hold.ended: group "web" pass 10 rule "unreachable"
hold.began: fact "3 machines" group "web" pass 11 rule "unreachable"
hold.ended: pass 11 rule "self_suspicion"
hold.ended: group "web" pass 11 rule "unhealthy_brake"
machine.healthy: fact "open" group "web" id "sim-2" node "web-1" pass 2 rule "probe" slot 1
machine.healthy: fact "open" group "web" id "sim-3" node "web-2" pass 2 rule "probe" slot 2
machine.healthy: fact "open" group "web" id "sim-5" node "web-0" pass 5 rule "probe" slot 0
hold.ended: group "web" pass 12 rule "unreachable"
