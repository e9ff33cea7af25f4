1.000 s (0 decided, last at 0.000 s), 0 lists, 0 other calls, 0 probes
=== no room, four times
  + /default/Lease/ID/status
    ahead: -999
    clock: "lab"
    session: "life-1"

  + /default/Control/ID/status
    series: {"fbae27432718":[5,1,1]}
  + /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    created: 1
    generation: "cda8aa36142bf957"
    group: "web"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 0
    state: "create"
    zone: "a"
  + /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    created: 1
    generation: "cda8aa36142bf957"
    group: "web"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 1
    state: "create"
    zone: "b"
  + /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    created: 1
    generation: "cda8aa36142bf957"
    group: "web"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 2
    state: "create"
    zone: "c"
  + /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    created: 1
    generation: "cda8aa36142bf957"
    group: "web"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 3
    state: "create"
    zone: "a"
  + /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    created: 1
    generation: "cda8aa36142bf957"
    group: "web"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 4
    state: "create"
    zone: "b"
  + /default/Cluster/ID/status
    holds: 0
    machines: {"creating":5,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":5}
    observed: 1
  + /default/Job/ID/00000000000000000001/status
    begun: 1760000001000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":5,"generations":["cda8aa36142bf957","b24280a322ed6353","56aded72e3b56ae4"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":5}]
    machines: {"creating":5,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":5}
    problems: []
    revision: 1
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true
    id: "sim-1"
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true
    callAfter: 14875
    cause: "capacity"
    fault: "capacity"
    tries: 1
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true
    callAfter: 9200
    cause: "capacity"
    fault: "capacity"
    tries: 1
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true
    callAfter: 11022
    cause: "capacity"
    fault: "capacity"
    tries: 1
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true
    callAfter: 9597
    cause: "capacity"
    fault: "capacity"
    tries: 1

  ~ /default/Control/ID/status
    series: {"fbae27432718":[9,1,1]}
  + /default/Resource/ID/fbae27432718000000064eec5ddad54e/status
    created: 1
    generation: "b24280a322ed6353"
    group: "web"
    made: 1760000001000
    pass: 2
    reason: "free_slot"
    slot: 0
    state: "create"
    tries: 1
    zone: "c"
  + /default/Resource/ID/fbae2743271800000007f4c31ae5e4a4/status
    created: 1
    generation: "b24280a322ed6353"
    group: "web"
    made: 1760000001000
    pass: 2
    reason: "free_slot"
    slot: 1
    state: "create"
    tries: 1
    zone: "a"
  + /default/Resource/ID/fbae27432718000000086c9777a2035b/status
    created: 1
    generation: "b24280a322ed6353"
    group: "web"
    made: 1760000001000
    pass: 2
    reason: "free_slot"
    slot: 2
    state: "create"
    tries: 1
    zone: "a"
  + /default/Resource/ID/fbae2743271800000009a59564dfe452/status
    created: 1
    generation: "b24280a322ed6353"
    group: "web"
    made: 1760000001000
    pass: 2
    reason: "free_slot"
    slot: 3
    state: "create"
    tries: 1
    zone: "b"
  - /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
  - /default/Resource/ID/fbae2743271800000002de820479c4a8/status
  - /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
  - /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status

  ~ /default/Resource/ID/fbae2743271800000009a59564dfe452/status
    answered: true
    id: "sim-5"
    tries: (none)
  ~ /default/Resource/ID/fbae27432718000000086c9777a2035b/status
    answered: true
    id: "sim-4"
    tries: (none)
  ~ /default/Resource/ID/fbae2743271800000007f4c31ae5e4a4/status
    answered: true
    id: "sim-3"
    tries: (none)
  ~ /default/Resource/ID/fbae27432718000000064eec5ddad54e/status
    answered: true
    id: "sim-2"
    tries: (none)

3.000 s, 2 done, 4 quiet (6 decided, last at 2.500 s), 7 lists, 9 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000009a59564dfe452/status
    active: 2001
    pass: 3
    state: "active"
  ~ /default/Resource/ID/fbae27432718000000086c9777a2035b/status
    active: 2001
    pass: 3
    state: "active"
  ~ /default/Resource/ID/fbae2743271800000007f4c31ae5e4a4/status
    active: 2001
    pass: 3
    state: "active"
  ~ /default/Resource/ID/fbae27432718000000064eec5ddad54e/status
    active: 2001
    pass: 3
    state: "active"
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    active: 2001
    pass: 3
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":5,"unhealthy":0,"unreachable":0,"wanted":5}
  ~ /default/Job/ID/00000000000000000001/status
    ended: 1760000003000
    groups: [{"creating":0,"generations":["cda8aa36142bf957","b24280a322ed6353","56aded72e3b56ae4"],"group":"web","leaving":0,"old":0,"ready":5,"updated":5,"wanted":5}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":5,"updated":5,"wanted":5}
    state: "done"

1201.000 s, 1 done, 40 quiet (41 decided, last at 1173.500 s), 40 lists, 0 other calls, 0 probes
=== zones are removed
  ~ /default/Resource/ID/fbae2743271800000009a59564dfe452/status
    condemned: 1200001
    outdated: true
    pass: 4
    reason: "scale_in"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae27432718000000086c9777a2035b/status
    outdated: true
  ~ /default/Resource/ID/fbae2743271800000007f4c31ae5e4a4/status
    outdated: true
  ~ /default/Resource/ID/fbae27432718000000064eec5ddad54e/status
    outdated: true
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":4,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
    observed: 8
  + /default/Job/ID/00000000000000000008/status
    begun: 1760001201000
    by: "ana"
    cluster: "shop"
    groups: [{"batch":1,"canary":0,"creating":0,"generations":["cda8aa36142bf957","e444bf92347ed9ee","899ae26ac0cac119"],"group":"web","leaving":1,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}]
    machines: {"creating":0,"leaving":1,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}
    problems: []
    revision: 8
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae2743271800000009a59564dfe452/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[10,1,1200001]}
  + /default/Resource/ID/fbae274327180000000abe0f3fdb453f/status
    created: 1200001
    generation: "cda8aa36142bf957"
    group: "web"
    made: 1760001201000
    pass: 5
    reason: "roll"
    slot: 0
    state: "create"
    zone: "c"
  - /default/Resource/ID/fbae2743271800000009a59564dfe452/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":3,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000008/status
    groups: [{"batch":1,"canary":0,"creating":1,"generations":["cda8aa36142bf957","e444bf92347ed9ee","899ae26ac0cac119"],"group":"web","leaving":0,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":3,"outdated":3,"ready":4,"updated":1,"wanted":4}

  ~ /default/Resource/ID/fbae274327180000000abe0f3fdb453f/status
    answered: true
    id: "sim-6"

1203.000 s, 2 done, 4 quiet (6 decided, last at 1202.500 s), 7 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae274327180000000abe0f3fdb453f/status
    active: 1202001
    pass: 6
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":3,"ready":5,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000008/status
    groups: [{"batch":1,"canary":0,"creating":0,"generations":["cda8aa36142bf957","e444bf92347ed9ee","899ae26ac0cac119"],"group":"web","leaving":0,"old":3,"outdated":3,"ready":5,"updated":2,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":3,"outdated":3,"ready":5,"updated":2,"wanted":4}

1203.500 s, 1 done (1 decided, last at 1203.000 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000064eec5ddad54e/status
    condemned: 1202501
    pass: 7
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":3,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000008/status
    groups: [{"batch":1,"canary":0,"creating":0,"generations":["cda8aa36142bf957","e444bf92347ed9ee","899ae26ac0cac119"],"group":"web","leaving":1,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":4}]
    machines: {"creating":0,"leaving":1,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":4}

  ~ /default/Resource/ID/fbae27432718000000064eec5ddad54e/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[11,1,1202501]}
  + /default/Resource/ID/fbae274327180000000bbdc85e55924d/status
    created: 1202501
    generation: "cda8aa36142bf957"
    group: "web"
    made: 1760001203500
    pass: 8
    reason: "roll"
    slot: 1
    state: "create"
    zone: "b"
  - /default/Resource/ID/fbae27432718000000064eec5ddad54e/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":2,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000008/status
    groups: [{"batch":1,"canary":0,"creating":1,"generations":["cda8aa36142bf957","e444bf92347ed9ee","899ae26ac0cac119"],"group":"web","leaving":0,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":2,"outdated":2,"ready":4,"updated":2,"wanted":4}

  ~ /default/Resource/ID/fbae274327180000000bbdc85e55924d/status
    answered: true
    id: "sim-7"

1205.500 s, 2 done, 4 quiet (6 decided, last at 1205.000 s), 6 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae274327180000000bbdc85e55924d/status
    active: 1204501
    pass: 9
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":2,"ready":5,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000008/status
    groups: [{"batch":1,"canary":0,"creating":0,"generations":["cda8aa36142bf957","e444bf92347ed9ee","899ae26ac0cac119"],"group":"web","leaving":0,"old":2,"outdated":2,"ready":5,"updated":3,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":2,"outdated":2,"ready":5,"updated":3,"wanted":4}

1206.000 s, 1 done (1 decided, last at 1205.500 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000007f4c31ae5e4a4/status
    condemned: 1205001
    pass: 10
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":2,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000008/status
    groups: [{"batch":1,"canary":0,"creating":0,"generations":["cda8aa36142bf957","e444bf92347ed9ee","899ae26ac0cac119"],"group":"web","leaving":1,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":4}]
    machines: {"creating":0,"leaving":1,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":4}

  ~ /default/Resource/ID/fbae2743271800000007f4c31ae5e4a4/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[12,1,1205001]}
  + /default/Resource/ID/fbae274327180000000c1ea5bebacb83/status
    created: 1205001
    generation: "cda8aa36142bf957"
    group: "web"
    made: 1760001206000
    pass: 11
    reason: "roll"
    slot: 2
    state: "create"
    zone: "c"
  - /default/Resource/ID/fbae2743271800000007f4c31ae5e4a4/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":1,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000008/status
    groups: [{"batch":1,"canary":0,"creating":1,"generations":["cda8aa36142bf957","e444bf92347ed9ee","899ae26ac0cac119"],"group":"web","leaving":0,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":4}]
    machines: {"creating":1,"leaving":0,"old":1,"outdated":1,"ready":4,"updated":3,"wanted":4}

  ~ /default/Resource/ID/fbae274327180000000c1ea5bebacb83/status
    answered: true
    id: "sim-8"

1208.000 s, 2 done, 4 quiet (6 decided, last at 1207.500 s), 6 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae274327180000000c1ea5bebacb83/status
    active: 1207001
    pass: 12
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":1,"ready":5,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000008/status
    groups: [{"batch":1,"canary":0,"creating":0,"generations":["cda8aa36142bf957","e444bf92347ed9ee","899ae26ac0cac119"],"group":"web","leaving":0,"old":1,"outdated":1,"ready":5,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":1,"outdated":1,"ready":5,"updated":4,"wanted":4}

1208.500 s, 1 done (1 decided, last at 1208.000 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000086c9777a2035b/status
    condemned: 1207501
    pass: 13
    reason: "rolled"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":1,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000008/status
    groups: [{"creating":0,"generations":["cda8aa36142bf957","e444bf92347ed9ee","899ae26ac0cac119"],"group":"web","leaving":1,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":1,"old":0,"ready":4,"updated":4,"wanted":4}

  ~ /default/Resource/ID/fbae27432718000000086c9777a2035b/status
    answered: true

  - /default/Resource/ID/fbae27432718000000086c9777a2035b/status
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":4,"unhealthy":0,"unreachable":0,"wanted":4}
  ~ /default/Job/ID/00000000000000000008/status
    ended: 1760001208500
    groups: [{"creating":0,"generations":["cda8aa36142bf957","e444bf92347ed9ee","899ae26ac0cac119"],"group":"web","leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":4,"updated":4,"wanted":4}
    state: "done"

=== the end
3001.000 s, 2 done, 60 quiet (5 decided, last at 2983.500 s), 63 lists, 1 other calls, 0 probes
=== machines
sim-1 web/4 {"machineSize":"big","resourcePlugin":"sim"} zone 'b' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/0 {"machineSize":"small","resourcePlugin":"sim","zones":["a","b","c"]} zone 'c' labels  made 1000 ended 1203500 stopped 0 reboots 0 at 0 'rolled'
sim-3 web/1 {"machineSize":"small","resourcePlugin":"sim","zones":["a","b","c"]} zone 'a' labels  made 1000 ended 1206000 stopped 0 reboots 0 at 0 'rolled'
sim-4 web/2 {"machineSize":"small","resourcePlugin":"sim","zones":["a","b","c"]} zone 'a' labels  made 1000 ended 1208500 stopped 0 reboots 0 at 0 'rolled'
sim-5 web/3 {"machineSize":"small","resourcePlugin":"sim","zones":["a","b","c"]} zone 'b' labels  made 1000 ended 1201000 stopped 0 reboots 0 at 0 'scale_in'
sim-6 web/0 {"machineSize":"big","resourcePlugin":"sim"} zone 'c' labels  made 1201000 ended 0 stopped 0 reboots 0 at 0 ''
sim-7 web/1 {"machineSize":"big","resourcePlugin":"sim"} zone 'b' labels  made 1203500 ended 0 stopped 0 reboots 0 at 0 ''
sim-8 web/2 {"machineSize":"big","resourcePlugin":"sim"} zone 'c' labels  made 1206000 ended 0 stopped 0 reboots 0 at 0 ''
=== events
cluster.created: actor "ana" groups ["web"] sums {"change":0,"create":5,"destroy":0,"groups":1,"nodes":5,"reboot":0,"replace":0}
machine.wanted: fact "size is 5, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 5, 0 recorded" group "web" node "web-1" pass 1 rule "free_slot" slot 1
machine.wanted: fact "size is 5, 0 recorded" group "web" node "web-2" pass 1 rule "free_slot" slot 2
machine.wanted: fact "size is 5, 0 recorded" group "web" node "web-3" pass 1 rule "free_slot" slot 3
machine.wanted: fact "size is 5, 0 recorded" group "web" node "web-4" pass 1 rule "free_slot" slot 4
job.began: fact "job/1"
machine.created: group "web" id "sim-1" node "web-4" pass 1 rule "free_slot" slot 4
machine.refused: fact "capacity" group "web" node "web-3" pass 1 rule "free_slot" slot 3
machine.refused: fact "capacity" group "web" node "web-2" pass 1 rule "free_slot" slot 2
machine.refused: fact "capacity" group "web" node "web-1" pass 1 rule "free_slot" slot 1
machine.refused: fact "capacity" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 5, 1 recorded; alternative 1" group "web" node "web-0" pass 2 rule "free_slot" slot 0
machine.wanted: fact "size is 5, 1 recorded; alternative 1" group "web" node "web-1" pass 2 rule "free_slot" slot 1
machine.wanted: fact "size is 5, 1 recorded; alternative 1" group "web" node "web-2" pass 2 rule "free_slot" slot 2
machine.wanted: fact "size is 5, 1 recorded; alternative 1" group "web" node "web-3" pass 2 rule "free_slot" slot 3
machine.gone: fact "there is no capacity, or no quota" group "web" node "web-0" pass 2 rule "refused" slot 0
machine.gone: fact "there is no capacity, or no quota" group "web" node "web-1" pass 2 rule "refused" slot 1
machine.gone: fact "there is no capacity, or no quota" group "web" node "web-2" pass 2 rule "refused" slot 2
machine.gone: fact "there is no capacity, or no quota" group "web" node "web-3" pass 2 rule "refused" slot 3
machine.created: group "web" id "sim-5" node "web-3" pass 2 rule "free_slot" slot 3
machine.created: group "web" id "sim-4" node "web-2" pass 2 rule "free_slot" slot 2
machine.created: group "web" id "sim-3" node "web-1" pass 2 rule "free_slot" slot 1
machine.created: group "web" id "sim-2" node "web-0" pass 2 rule "free_slot" slot 0
machine.ready: fact "sim-5 runs" group "web" id "sim-5" node "web-3" pass 3 rule "activate" slot 3
machine.ready: fact "sim-4 runs" group "web" id "sim-4" node "web-2" pass 3 rule "activate" slot 2
machine.ready: fact "sim-3 runs" group "web" id "sim-3" node "web-1" pass 3 rule "activate" slot 1
machine.ready: fact "sim-2 runs" group "web" id "sim-2" node "web-0" pass 3 rule "activate" slot 0
machine.ready: fact "sim-1 runs" group "web" id "sim-1" node "web-4" pass 3 rule "activate" slot 4
job.done: fact "job/1"
cluster.changed: actor "ana" groups ["web"] sums {"change":4,"create":0,"destroy":1,"groups":1,"nodes":4,"reboot":0,"replace":4}
machine.condemned: fact "size is 4" group "web" id "sim-5" node "web-3" pass 4 rule "scale_in" slot 3
job.began: fact "job/8"
machine.destroyed: group "web" id "sim-5" node "web-3" pass 4 rule "scale_in" slot 3
machine.wanted: fact "b24280a322ed6353 -> cda8aa36142bf957" group "web" node "web-0" pass 5 rule "roll" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-5" node "web-3" pass 5 rule "forget" slot 3
machine.created: group "web" id "sim-6" node "web-0" pass 5 rule "roll" slot 0
machine.ready: fact "sim-6 runs" group "web" id "sim-6" node "web-0" pass 6 rule "activate" slot 0
machine.condemned: fact "sim-6 is in service" group "web" id "sim-2" node "web-0" pass 7 rule "rolled" slot 0
machine.destroyed: group "web" id "sim-2" node "web-0" pass 7 rule "rolled" slot 0
machine.wanted: fact "b24280a322ed6353 -> cda8aa36142bf957" group "web" node "web-1" pass 8 rule "roll" slot 1
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-2" node "web-0" pass 8 rule "forget" slot 0
machine.created: group "web" id "sim-7" node "web-1" pass 8 rule "roll" slot 1
machine.ready: fact "sim-7 runs" group "web" id "sim-7" node "web-1" pass 9 rule "activate" slot 1
machine.condemned: fact "sim-7 is in service" group "web" id "sim-3" node "web-1" pass 10 rule "rolled" slot 1
machine.destroyed: group "web" id "sim-3" node "web-1" pass 10 rule "rolled" slot 1
machine.wanted: fact "b24280a322ed6353 -> cda8aa36142bf957" group "web" node "web-2" pass 11 rule "roll" slot 2
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-3" node "web-1" pass 11 rule "forget" slot 1
machine.created: group "web" id "sim-8" node "web-2" pass 11 rule "roll" slot 2
machine.ready: fact "sim-8 runs" group "web" id "sim-8" node "web-2" pass 12 rule "activate" slot 2
machine.condemned: fact "sim-8 is in service" group "web" id "sim-4" node "web-2" pass 13 rule "rolled" slot 2
machine.destroyed: group "web" id "sim-4" node "web-2" pass 13 rule "rolled" slot 2
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-4" node "web-2" pass 14 rule "forget" slot 2
job.done: fact "job/8"
