31.000 s (0 decided, last at 3.819 s), 0 lists, 0 other calls, 0 probes
=== one less
  + /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    active: 2001
    address: "sim-4"
    cause: "open"
    condemned: 30001
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    id: "sim-4"
    made: 1760000001000
    pass: 3
    reason: "scale_in"
    slot: 3
    state: "delete"
  + /default/Cluster/ID/status
    holds: 0
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}
    observed: 16
  + /default/Job/ID/00000000000000000016/status
    begun: 1760000031000
    by: "ana"
    cluster: "shop"
    groups: [{"chain":"a409d8c536ba9635","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":1,"old":0,"ready":3,"updated":3,"wanted":3}]
    machines: {"creating":0,"leaving":1,"old":0,"ready":3,"updated":3,"wanted":3}
    problems: []
    revision: 16
    state: "running"
    waits: []

  + /default/Revoked/ID/fbae27432718000000047fa3cb7da0a8/base
    at: 1760000031000
    id: "web-3.fbae2743271800000004"
    until: 1762592031000

  + /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status
    chainDone: "a409d8c536ba9635"
    facts: {"name":"web-3"}
    factsGiven: "aab515358d0425c08b2f65ee57e47e04"
    keys: {"host":"fbae27432718000000047fa3cb7da0a8","root":"r"}
    leaving: 30001
    since: 1760000031000
    step: "releasing"
    trustGiven: "c0000000000000001.0000000000000001.0.2"

31.100 s, 1 done (1 decided, last at 31.000 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status
    released: 1
    since: 1760000031100
    step: "released"
  + /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    chainDone: "a409d8c536ba9635"
    facts: {"name":"web-2"}
    factsGiven: "994a157ffefbb1ec70662cc606d0424d"
    keys: {"host":"fbae27432718000000034981fbfa71b6","root":"r"}
    since: 1760000003300
    step: "bootstrapped"
    trustGiven: "c0000000000000001.0000000000000001.0.2"
  + /default/Node/ID/fbae2743271800000002de820479c4a8/status
    chainDone: "a409d8c536ba9635"
    facts: {"name":"web-1"}
    factsGiven: "994a157ffefbb1ec70662cc606d0424d"
    keys: {"host":"fbae2743271800000002de820479c4a8","root":"r"}
    since: 1760000003300
    step: "bootstrapped"
    trustGiven: "c0000000000000001.0000000000000001.0.2"
  + /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    chainDone: "a409d8c536ba9635"
    facts: {"name":"web-0"}
    factsGiven: "994a157ffefbb1ec70662cc606d0424d"
    keys: {"host":"fbae27432718000000014bd8c442c5f8","root":"r"}
    since: 1760000003300
    step: "bootstrapped"
    trustGiven: "c0000000000000001.0000000000000001.0.2"

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true

  - /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000016/status
    ended: 1760000031100
    groups: [{"chain":"a409d8c536ba9635","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}
    state: "done"

  - /default/Node/ID/fbae27432718000000047fa3cb7da0a8/status

91.000 s, 2 done, 2 quiet (3 decided, last at 66.100 s), 4 lists, 1 other calls, 111 probes
=== one less, and it cannot be reached
  + /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    active: 2001
    address: "sim-3"
    cause: "open"
    condemned: 90001
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    id: "sim-3"
    made: 1760000001000
    pass: 5
    reason: "scale_in"
    slot: 2
    state: "delete"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":2}
    observed: 24
  + /default/Job/ID/00000000000000000024/status
    begun: 1760000091000
    by: "ana"
    cluster: "shop"
    groups: [{"chain":"a409d8c536ba9635","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":1,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":1,"old":0,"ready":2,"updated":2,"wanted":2}
    problems: []
    revision: 24
    state: "running"
    waits: []

  + /default/Revoked/ID/fbae27432718000000034981fbfa71b6/base
    at: 1760000091000
    id: "web-2.fbae2743271800000003"
    until: 1762592091000

  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    leaving: 90001
    since: 1760000091000
    step: "releasing"

91.100 s, 1 done (1 decided, last at 91.000 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    retryAt: 1760000092544
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    factsGiven: "1f341867e7cbded0ae6a3e4d2164875e"
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    factsGiven: "1f341867e7cbded0ae6a3e4d2164875e"

92.600 s (0 decided, last at 91.000 s), 0 lists, 0 other calls, 2 probes
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    retryAt: 1760000094903

95.000 s (0 decided, last at 91.000 s), 0 lists, 0 other calls, 4 probes
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    retryAt: 1760000102781

102.800 s, 2 done (2 decided, last at 101.000 s), 2 lists, 0 other calls, 9 probes
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    retryAt: 1760000114731

114.800 s, 2 done (2 decided, last at 111.000 s), 2 lists, 0 other calls, 15 probes
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    retryAt: 1760000136533

136.600 s, 5 done (5 decided, last at 136.000 s), 5 lists, 0 other calls, 28 probes
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    retryAt: 1760000198138

198.200 s, 12 done (12 decided, last at 196.000 s), 12 lists, 0 other calls, 76 probes
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    retryAt: 1760000276677

276.700 s, 16 done (16 decided, last at 276.000 s), 16 lists, 0 other calls, 98 probes
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    retryAt: 1760000390396

390.400 s, 22 done (22 decided, last at 386.000 s), 22 lists, 0 other calls, 143 probes
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    retryAt: 1760000485890

391.000 s (0 decided, last at 386.000 s), 0 lists, 0 other calls, 1 probes
=== an operator does not wait for it
=== the change: taken
  + /default/Abandoned/ID/fbae27432718000000034981fbfa71b6/base
    at: 1760000391000

  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    released: 1
    since: 1760000391000
    step: "released"
    retryAt: (none)
    why: (none)

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true

  - /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":2}
  ~ /default/Job/ID/00000000000000000024/status
    ended: 1760000391000
    groups: [{"chain":"a409d8c536ba9635","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}
    state: "done"

  - /default/Node/ID/fbae27432718000000034981fbfa71b6/status
  - /default/Abandoned/ID/fbae27432718000000034981fbfa71b6/base

511.000 s, 3 done, 4 quiet (4 decided, last at 481.000 s), 7 lists, 1 other calls, 150 probes
=== one is rebooted by request
=== the change: taken
  + /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    active: 2001
    address: "sim-2"
    answered: true
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    id: "sim-2"
    made: 1760000001000
    pass: 7
    reason: "free_slot"
    rebootBegun: 510001
    rebootBy: "ana"
    rebootNumber: 1
    rebootServed: true
    slot: 1
    starting: true
    state: "active"
  ~ /default/Cluster/ID/status
    observed: 42
  + /default/Job/ID/00000000000000000042/status
    begun: 1760000511000
    by: "ana"
    cluster: "shop"
    groups: [{"chain":"a409d8c536ba9635","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"reboots":1,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":2,"reboots":1,"updated":2,"wanted":2}
    problems: []
    revision: 42
    state: "running"
    waits: []

  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    away: 1
    factsGiven: (none)

511.100 s, 1 done (1 decided, last at 511.000 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":1,"unhealthy":0,"unreachable":0,"wanted":2}
  ~ /default/Job/ID/00000000000000000042/status
    groups: [{"chain":"a409d8c536ba9635","creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":1,"rebooting":1,"updated":1,"wanted":2}]
    machines: {"creating":1,"leaving":0,"old":0,"ready":1,"rebooting":1,"updated":1,"wanted":2}

811.000 s, 273 quiet (273 decided, last at 810.300 s), 272 lists, 0 other calls, 189 probes
=== labels change, which releases none
  ~ /default/Cluster/ID/status
    observed: 46
  ~ /default/Job/ID/00000000000000000042/status
    ended: 1760000811000
    state: "superseded"
    supersededBy: "job/46"
  + /default/Job/ID/00000000000000000046/status
    begun: 1760000811000
    by: "ana"
    cluster: "shop"
    groups: [{"chain":"a409d8c536ba9635","creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":1,"rebooting":1,"updated":1,"wanted":2}]
    machines: {"creating":1,"leaving":0,"old":0,"ready":1,"rebooting":1,"updated":1,"wanted":2}
    problems: []
    revision: 46
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    labels: "8aad4fbc56a6cfbd"
  + /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    active: 2001
    address: "sim-1"
    answered: true
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    id: "sim-1"
    labels: "8aad4fbc56a6cfbd"
    made: 1760000001000
    pass: 2
    reason: "free_slot"
    slot: 0
    state: "active"

871.000 s, 1 done, 56 quiet (57 decided, last at 870.500 s), 57 lists, 2 other calls, 37 probes
=== the cluster is deleted, and the manager dies amid
  - /default/Cluster/ID/status

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    condemned: 870001
    pass: 8
    reason: "scale_in"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    condemned: 870001
    pass: 8
    reason: "scale_in"
    state: "delete"
    answered: (none)
  ~ /default/Job/ID/00000000000000000046/status
    ended: 1760000871000
    state: "superseded"
    supersededBy: "job/49"
  + /default/Job/ID/00000000000000000049/status
    begun: 1760000871000
    cluster: "shop"
    groups: [{"creating":0,"generations":[],"group":"web","leaving":2,"old":0,"ready":0,"updated":0,"wanted":0}]
    machines: {"creating":0,"leaving":2,"old":0,"ready":0,"updated":0,"wanted":0}
    problems: []
    revision: 49
    state: "running"
    waits: []

  - /default/Revoked/ID/fbae27432718000000034981fbfa71b6/base
  - /default/Revoked/ID/fbae27432718000000047fa3cb7da0a8/base

  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    leaving: 870001
    since: 1760000871000
    step: "releasing"
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    leaving: 870001
    since: 1760000871000
    step: "releasing"

871.100 s, 1 done (1 decided, last at 871.000 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    released: 1
    since: 1760000871100
    step: "released"
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    released: 1
    since: 1760000871100
    step: "released"

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true

  - /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
  - /default/Resource/ID/fbae2743271800000002de820479c4a8/status
  ~ /default/Job/ID/00000000000000000049/status
    ended: 1760000871100
    groups: []
    machines: {"creating":0,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":0}
    state: "done"

  - /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
  - /default/Node/ID/fbae2743271800000002de820479c4a8/status

871.500 s, 2 done (2 decided, last at 871.100 s), 2 lists, 2 other calls, 0 probes
  + /default/Lease/ID/status
    ahead: -999
    clock: "lab"
    session: "life-3"

  - /default/Control/ID/status

=== the end
1171.500 s, 1 quiet (1 decided, last at 871.500 s), 0 lists, 0 other calls, 0 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels {"labels":{"tier":"front"}} made 1000 ended 871100 stopped 0 reboots 0 at 0 'scale_in'
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels {"labels":{"tier":"front"}} made 1000 ended 871100 stopped 0 reboots 0 at 0 'scale_in'
sim-3 web/2 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 391000 stopped 0 reboots 0 at 0 'scale_in'
sim-4 web/3 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 31100 stopped 0 reboots 0 at 0 'scale_in'
last probe: web-0 at sim-1 port 22 by SSH, 0 words, within 1000 ms
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
node.keyed: group "web" id "sim-4" node "web-3" slot 3
node.keyed: group "web" id "sim-3" node "web-2" slot 2
node.keyed: group "web" id "sim-2" node "web-1" slot 1
node.keyed: group "web" id "sim-1" node "web-0" slot 0
node.bootstrapped: group "web" id "sim-4" node "web-3" slot 3
node.bootstrapped: group "web" id "sim-3" node "web-2" slot 2
node.bootstrapped: group "web" id "sim-2" node "web-1" slot 1
node.bootstrapped: group "web" id "sim-1" node "web-0" slot 0
machine.ready: group "web" id "sim-1" node "web-0" pass 2 rule "bootstrap" slot 0
machine.ready: fact "open" group "web" id "sim-2" node "web-1" pass 2 rule "probe" slot 1
machine.ready: fact "open" group "web" id "sim-3" node "web-2" pass 2 rule "probe" slot 2
machine.ready: fact "open" group "web" id "sim-4" node "web-3" pass 2 rule "probe" slot 3
job.done: fact "job/1"
cluster.changed: actor "ana" groups ["web"] sums {"change":0,"create":0,"destroy":1,"groups":1,"nodes":3,"reboot":0,"replace":0}
machine.condemned: fact "size is 3" group "web" id "sim-4" node "web-3" pass 3 rule "scale_in" slot 3
job.began: fact "job/16"
node.revoked: fact "the machine is being destroyed" group "web" id "sim-4" node "web-3" slot 3
node.releasing: group "web" id "sim-4" node "web-3" slot 3
node.released: group "web" id "sim-4" node "web-3" slot 3
machine.destroyed: group "web" id "sim-4" node "web-3" pass 3 rule "scale_in" slot 3
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-4" node "web-3" pass 4 rule "forget" slot 3
job.done: fact "job/16"
cluster.changed: actor "ana" groups ["web"] sums {"change":0,"create":0,"destroy":1,"groups":1,"nodes":2,"reboot":0,"replace":0}
machine.condemned: fact "size is 2" group "web" id "sim-3" node "web-2" pass 5 rule "scale_in" slot 2
job.began: fact "job/24"
node.revoked: fact "the machine is being destroyed" group "web" id "sim-3" node "web-2" slot 2
node.releasing: group "web" id "sim-3" node "web-2" slot 2
node.release_pending: fact "unreachable: no route to host" group "web" id "sim-3" node "web-2" slot 2
node.abandoned: actor "ana" fact "an operator gave up the pending release of the machine" group "web" id "sim-3" node "web-2"
node.traces_left: fact "given up by an operator, unreachable: no route to host; files, keys and lines of reeve may still be on the machine (docs/reference/release.md)" group "web" id "sim-3" node "web-2" slot 2
machine.destroyed: group "web" id "sim-3" node "web-2" pass 5 rule "scale_in" slot 2
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-3" node "web-2" pass 6 rule "forget" slot 2
job.done: fact "job/24"
cluster.changed: actor "ana" fact "to be rebooted: web-1" groups ["web"] sums {"change":0,"create":0,"destroy":0,"groups":1,"nodes":2,"reboot":1,"replace":0}
machine.rebooting: fact "reboot, requested by ana" group "web" id "sim-2" node "web-1" pass 7 rule "reboot_asked" slot 1
job.began: fact "job/42"
cluster.changed: actor "ana" groups ["web"] sums {"change":2,"create":0,"destroy":0,"groups":1,"nodes":2,"reboot":0,"replace":0}
job.began: fact "job/46"
machine.labelled: group "web" id "sim-2" node "web-1" pass 7 rule "free_slot" slot 1
machine.labelled: group "web" id "sim-1" node "web-0" pass 2 rule "free_slot" slot 0
cluster.deleted: actor "ana" groups ["web"] sums {"change":0,"create":0,"destroy":2,"groups":0,"nodes":0,"reboot":0,"replace":0}
machine.condemned: fact "size is 0" group "web" id "sim-1" node "web-0" pass 8 rule "scale_in" slot 0
machine.condemned: fact "size is 0; starting" group "web" id "sim-2" node "web-1" pass 8 rule "scale_in" slot 1
job.began: fact "job/49"
node.releasing: group "web" id "sim-2" node "web-1" slot 1
node.releasing: group "web" id "sim-1" node "web-0" slot 0
node.released: group "web" id "sim-2" node "web-1" slot 1
node.released: group "web" id "sim-1" node "web-0" slot 0
machine.destroyed: group "web" id "sim-2" node "web-1" pass 8 rule "scale_in" slot 1
machine.destroyed: group "web" id "sim-1" node "web-0" pass 8 rule "scale_in" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-1" node "web-0" pass 9 rule "forget" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-2" node "web-1" pass 9 rule "forget" slot 1
job.done: fact "job/49"
