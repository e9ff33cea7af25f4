1.000 s (0 decided, last at 0.000 s), 0 lists, 0 other calls, 0 probes
=== no answer while it starts
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
    groups: [{"creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1}]
    machines: {"creating":1,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":1}
    problems: []
    revision: 1
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true
    id: "sim-1"

3.000 s, 1 done, 4 quiet (5 decided, last at 2.500 s), 6 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    active: 2001
    address: "sim-1"
    pass: 2
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":1,"unhealthy":0,"unreachable":0,"wanted":1}
  ~ /default/Job/ID/00000000000000000001/status
    ended: 1760000003000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":1,"updated":1,"wanted":1}
    state: "done"

31.000 s, 1 done, 1 quiet (2 decided, last at 3.500 s), 1 lists, 0 other calls, 14 probes
=== it fails, once more often each time
52.000 s, 1 quiet (0 decided, last at 33.500 s), 1 lists, 0 other calls, 10 probes
=== it fails, once more often each time
75.000 s, 1 quiet (0 decided, last at 63.500 s), 1 lists, 0 other calls, 11 probes
=== it fails, once more often each time
100.000 s, 1 quiet (0 decided, last at 93.500 s), 1 lists, 0 other calls, 11 probes
=== other reasons
104.300 s (0 decided, last at 93.500 s), 0 lists, 0 other calls, 3 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    cause: "exit code 4"
    unhealthy: 99101

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":1,"unreachable":0,"wanted":1}

124.000 s, 1 quiet (1 decided, last at 104.300 s), 2 lists, 0 other calls, 9 probes
=== nothing can be said of it
144.000 s, 1 quiet (1 decided, last at 134.300 s), 1 lists, 0 other calls, 9 probes
=== another manager
  ~ /default/Lease/ID/status
    session: "life-2"

148.794 s, 1 quiet (1 decided, last at 144.000 s), 1 lists, 0 other calls, 3 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    cause: "no answer"
    silent: 1760000144594
    unreachable: 143595
    unhealthy: (none)

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":1,"wanted":1}

164.000 s, 1 quiet (1 decided, last at 148.794 s), 1 lists, 0 other calls, 7 probes
=== it answers to one probe in two
176.094 s (0 decided, last at 148.794 s), 0 lists, 0 other calls, 6 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    silent: (none)
    unreachable: (none)

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":1,"unhealthy":0,"unreachable":0,"wanted":1}

184.000 s, 1 quiet (1 decided, last at 176.094 s), 1 lists, 0 other calls, 3 probes
=== it is rebooted by request
=== the change: taken
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    pass: 3
    rebootBegun: 183001
    rebootBy: "ana"
    rebootNumber: 1
    rebootServed: true
    rebooted: 183001
    starting: true
    cause: (none)
  ~ /default/Cluster/ID/status
    observed: 13
  + /default/Job/ID/00000000000000000013/status
    begun: 1760000184000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":1,"reboots":1,"updated":1,"wanted":1}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":1,"reboots":1,"updated":1,"wanted":1}
    problems: []
    revision: 13
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    rebootBegun: (none)
    rebootServed: (none)
    starting: (none)

  ~ /default/Job/ID/00000000000000000013/status
    ended: 1760000184000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":1,"updated":1,"wanted":1}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":1,"updated":1,"wanted":1}
    state: "done"

209.794 s, 1 done, 1 quiet (2 decided, last at 184.000 s), 2 lists, 1 other calls, 13 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    cause: "no answer"
    silent: 1760000205594
    unreachable: 204595

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":1,"wanted":1}

218.194 s, 1 quiet (1 decided, last at 209.794 s), 1 lists, 0 other calls, 4 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    silent: (none)
    unreachable: (none)

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":1,"unhealthy":0,"unreachable":0,"wanted":1}

274.000 s, 2 quiet (2 decided, last at 248.194 s), 2 lists, 0 other calls, 26 probes
=== it is not probed any more
279.094 s, 1 quiet (1 decided, last at 278.194 s), 1 lists, 0 other calls, 3 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    unhealthy: 273895

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":1,"unreachable":0,"wanted":1}

294.000 s, 1 quiet (1 decided, last at 279.094 s), 2 lists, 0 other calls, 7 probes
  ~ /default/Cluster/ID/status
    observed: 23

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    cause: "the node is no longer probed"
    unhealthy: (none)

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":1,"unhealthy":0,"unreachable":0,"wanted":1}

=== the end
314.000 s, 2 quiet (2 decided, last at 294.000 s), 1 lists, 0 other calls, 0 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 1 at 184000 ''
last probe: web-0 at sim-1 port 80, 0 words, within 500 ms
=== events
cluster.created: actor "ana" groups ["web"] sums {"change":0,"create":1,"destroy":0,"groups":1,"nodes":1,"reboot":0,"replace":0}
machine.wanted: fact "size is 1, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
job.began: fact "job/1"
machine.created: group "web" id "sim-1" node "web-0" pass 1 rule "free_slot" slot 0
machine.ready: fact "sim-1 runs" group "web" id "sim-1" node "web-0" pass 2 rule "activate" slot 0
job.done: fact "job/1"
machine.unhealthy: fact "exit code 4" group "web" id "sim-1" node "web-0" pass 2 rule "probe" slot 0
machine.unreachable: fact "no answer" group "web" id "sim-1" node "web-0" pass 2 rule "probe" slot 0
machine.healthy: fact "no answer" group "web" id "sim-1" node "web-0" pass 2 rule "probe" slot 0
cluster.changed: actor "ana" fact "to be rebooted: web-0" groups ["web"] sums {"change":0,"create":0,"destroy":0,"groups":1,"nodes":1,"reboot":1,"replace":0}
machine.rebooting: fact "reboot, requested by ana" group "web" id "sim-1" node "web-0" pass 3 rule "reboot_asked" slot 0
job.began: fact "job/13"
machine.rebooted: group "web" id "sim-1" node "web-0" pass 3 rule "free_slot" slot 0
job.done: fact "job/13"
machine.unreachable: fact "no answer" group "web" id "sim-1" node "web-0" pass 3 rule "probe" slot 0
machine.healthy: fact "no answer" group "web" id "sim-1" node "web-0" pass 3 rule "probe" slot 0
machine.unhealthy: fact "no answer" group "web" id "sim-1" node "web-0" pass 3 rule "probe" slot 0
cluster.changed: actor "ana" groups ["web"] sums {"change":1,"create":0,"destroy":0,"groups":1,"nodes":1,"reboot":0,"replace":0}
machine.healthy: fact "the node is no longer probed" group "web" id "sim-1" node "web-0" pass 3 rule "probe" slot 0
