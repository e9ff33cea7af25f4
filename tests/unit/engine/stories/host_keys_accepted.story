1.000 s (0 decided, last at 0.000 s), 0 lists, 0 other calls, 0 probes
  + /default/Lease/ID/status
    ahead: -999
    clock: "lab"
    session: "life-2"

  + /default/Control/ID/status
    series: {"fbae27432718":[3,1,1]}
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
  + /default/Cluster/ID/status
    holds: 0
    machines: {"creating":3,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":3}
    observed: 1

  + /default/Job/ID/00000000000000000001/status
    begun: 1760000001000
    by: "ana"
    cluster: "shop"
    groups: [{"chain":"a409d8c536ba9635","creating":3,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":3}]
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

3.000 s, 1 done, 5 quiet (6 decided, last at 2.500 s), 7 lists, 3 other calls, 0 probes
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

  + /default/Node/ID/fbae27432718000000034981fbfa71b6/status
  + /default/Node/ID/fbae2743271800000002de820479c4a8/status
  + /default/Node/ID/fbae27432718000000014bd8c442c5f8/status

3.100 s, 1 done (1 decided, last at 3.000 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    keys: {"host":"fbae27432718000000034981fbfa71b6","root":"r"}
    since: 1760000003100
    step: "keyed"
    trustGiven: "c0000000000000001.0000000000000001.0.2"
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    keys: {"host":"fbae2743271800000002de820479c4a8","root":"r"}
    since: 1760000003100
    step: "keyed"
    trustGiven: "c0000000000000001.0000000000000001.0.2"
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    keys: {"host":"fbae27432718000000014bd8c442c5f8","root":"r"}
    since: 1760000003100
    step: "keyed"
    trustGiven: "c0000000000000001.0000000000000001.0.2"

3.200 s (0 decided, last at 3.000 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    facts: {"name":"web-2"}
    factsGiven: "994a157ffefbb1ec70662cc606d0424d"
    since: 1760000003200
    step: "facts"
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    facts: {"name":"web-1"}
    factsGiven: "994a157ffefbb1ec70662cc606d0424d"
    since: 1760000003200
    step: "facts"
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    facts: {"name":"web-0"}
    factsGiven: "994a157ffefbb1ec70662cc606d0424d"
    since: 1760000003200
    step: "facts"

3.300 s, 1 quiet (1 decided, last at 3.216 s), 1 lists, 0 other calls, 1 probes
  ~ /default/Node/ID/fbae27432718000000034981fbfa71b6/status
    chainDone: "a409d8c536ba9635"
    since: 1760000003300
    step: "bootstrapped"
  ~ /default/Node/ID/fbae2743271800000002de820479c4a8/status
    chainDone: "a409d8c536ba9635"
    since: 1760000003300
    step: "bootstrapped"
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    chainDone: "a409d8c536ba9635"
    since: 1760000003300
    step: "bootstrapped"
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    starting: (none)

  ~ /default/Cluster/ID/status
    machines: {"creating":2,"failed":0,"leaving":0,"outdated":0,"ready":1,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"chain":"a409d8c536ba9635","creating":2,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":1,"updated":1,"wanted":3}]
    machines: {"creating":2,"leaving":0,"old":0,"ready":1,"updated":1,"wanted":3}

3.708 s, 1 quiet (1 decided, last at 3.300 s), 1 lists, 0 other calls, 2 probes
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    cause: "open"
    starting: (none)
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    cause: "open"
    starting: (none)

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000001/status
    ended: 1760000003708
    groups: [{"chain":"a409d8c536ba9635","creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}
    state: "done"

31.000 s, 1 quiet (1 decided, last at 3.708 s), 1 lists, 0 other calls, 51 probes
=== the provider says the key of web-0, and another one later
33.708 s (0 decided, last at 3.708 s), 1 lists, 0 other calls, 4 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    hostKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA000000000000000000000000000000000000000001"

693.708 s, 22 quiet (2 decided, last at 663.708 s), 23 lists, 0 other calls, 1238 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    hostKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA000000000000000000000000000000000000000002"

  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    since: 1760000693708
    chainDone: (none)
    facts: (none)
    factsGiven: (none)
    keys: (none)
    name: (none)
    step: (none)
    trustGiven: (none)
  + /default/Batches/ID/9f9df9c5ab854424/base
    at: 1760000693708
    batches: [1]
    canaries: 1
    chain: "a409d8c536ba9635"
    group: "web"
    maxFail: 1
    nodes: "fbae27432718000000014bd8c442c5f8"

  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
  + /default/Job/ID/00000000000000000016/status
    batch: {"canary":true,"count":1,"number":1,"size":1}
    begun: 1760000693708
    cluster: "shop"
    group: "web"
    groups: []
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":0,"skipped":0,"staging":0,"waiting":1,"wanted":1}
    problems: []
    progress: {"marks":".","request":"9f9df9c5ab854424","seen":692709}
    revision: 16
    state: "running"
    verb: "rollout"
    waits: []

  ~ /default/Job/ID/00000000000000000016/status
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":0,"skipped":0,"staging":1,"waiting":0,"wanted":1}
    progress: {"marks":"r","request":"9f9df9c5ab854424","seen":692709}

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    outdated: true
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":1,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}

693.800 s, 2 quiet (2 decided, last at 693.708 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    hostKey: 2070226682113247669
    keys: {"host":"fbae27432718000000014bd8c442c5f8","root":"r"}
    since: 1760000693800
    step: "keyed"
    trustGiven: "c0000000000000001.0000000000000001.0.2"

693.900 s (0 decided, last at 693.708 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    facts: {"name":"web-0"}
    factsGiven: "994a157ffefbb1ec70662cc606d0424d"
    since: 1760000693900
    step: "facts"

694.200 s (0 decided, last at 693.708 s), 0 lists, 0 other calls, 0 probes
  ~ /default/Node/ID/fbae27432718000000014bd8c442c5f8/status
    chainDone: "a409d8c536ba9635"
    job: "9dd26bd5431c9261"
    since: 1760000694200
    step: "bootstrapped"
  ~ /default/Job/ID/00000000000000000016/status
    ended: 1760000694200
    machines: {"creating":0,"failed":0,"gone":0,"leaving":0,"old":0,"ready":1,"skipped":0,"staging":0,"waiting":0,"wanted":1}
    progress: {"marks":"d","request":"9f9df9c5ab854424","seen":693201}
    state: "done"

  - /default/Batches/ID/9f9df9c5ab854424/base

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    outdated: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}

1231.000 s, 18 quiet (2 decided, last at 1204.200 s), 18 lists, 0 other calls, 1008 probes
=== accepted by hand: another one for web-0, which its provider knows better
=== the change: taken
  + /default/Accepted/ID/fbae27432718000000014bd8c442c5f8/base
    at: 1760001231000
    by: "ana"
    key: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA000000000000000000000000000000000000000003"

  - /default/Accepted/ID/fbae27432718000000014bd8c442c5f8/base

1291.000 s, 3 quiet (2 decided, last at 1261.000 s), 3 lists, 0 other calls, 111 probes
=== one for web-1, twice, and one for a node that is not there
=== the change: taken
  + /default/Accepted/ID/fbae2743271800000002de820479c4a8/base
    at: 1760001291000
    by: "ana"
    key: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA000000000000000000000000000000000000000004"

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    hostKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA000000000000000000000000000000000000000004"

  - /default/Accepted/ID/fbae2743271800000002de820479c4a8/base

=== the change: web-1 has this host key already
=== the change: there is no machine 'web-9' in shop
=== the change: the text is not a public key of a host
1471.000 s, 8 quiet (3 decided, last at 1441.000 s), 8 lists, 0 other calls, 339 probes
=== rows that nobody can read, or of machines that are gone
  + /default/Accepted/ID/fbae27432718000000034981fbfa71b6/base

  + /default/Accepted/ID/none/base
    key: "k"

  - /default/Accepted/ID/fbae27432718000000034981fbfa71b6/base
  - /default/Accepted/ID/none/base

1531.000 s, 3 quiet (2 decided, last at 1501.000 s), 3 lists, 0 other calls, 111 probes
=== a copy of web-1 with another key, listed first
  ~ /default/Control/ID/status
    sighted: {"sim-4":[1,1530001,1530001,"spared"]}
  + /default/Hold/ID/foreign/status
    cluster: "shop"
    fact: "1 machine with tags of reeve that this reeve did not create"
    pass: 7
    rule: "foreign"
    since: 1760001531000
    sources: ["sim"]
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1

=== the change: taken
2131.000 s, 1 done, 19 held (20 decided, last at 2101.000 s), 21 lists, 0 other calls, 1125 probes
  + /default/Accepted/ID/fbae27432718000000034981fbfa71b6/base
    at: 1760002131000
    by: "ana"
    key: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA000000000000000000000000000000000000000008"

  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    hostKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA000000000000000000000000000000000000000008"

  - /default/Accepted/ID/fbae27432718000000034981fbfa71b6/base

=== the end
2191.000 s, 4 held (4 decided, last at 2161.000 s), 4 lists, 0 other calls, 114 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-3 web/2 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-4 web/1  zone '' labels  made 1531000 ended 0 stopped 0 reboots 0 at 0 ''
last probe: web-2 at sim-3 port 22 by SSH, 0 words, within 1000 ms
=== events
cluster.created: actor "ana" groups ["web"] sums {"change":0,"create":3,"destroy":0,"groups":1,"nodes":3,"reboot":0,"replace":0}
machine.wanted: fact "size is 3, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 3, 0 recorded" group "web" node "web-1" pass 1 rule "free_slot" slot 1
machine.wanted: fact "size is 3, 0 recorded" group "web" node "web-2" pass 1 rule "free_slot" slot 2
job.began: fact "job/1"
machine.created: group "web" id "sim-3" node "web-2" pass 1 rule "free_slot" slot 2
machine.created: group "web" id "sim-2" node "web-1" pass 1 rule "free_slot" slot 1
machine.created: group "web" id "sim-1" node "web-0" pass 1 rule "free_slot" slot 0
machine.running: fact "sim-1 runs" group "web" id "sim-1" node "web-0" pass 2 rule "activate" slot 0
machine.running: fact "sim-2 runs" group "web" id "sim-2" node "web-1" pass 2 rule "activate" slot 1
machine.running: fact "sim-3 runs" group "web" id "sim-3" node "web-2" pass 2 rule "activate" slot 2
node.keyed: group "web" id "sim-3" node "web-2" slot 2
node.keyed: group "web" id "sim-2" node "web-1" slot 1
node.keyed: group "web" id "sim-1" node "web-0" slot 0
node.bootstrapped: group "web" id "sim-3" node "web-2" slot 2
node.bootstrapped: group "web" id "sim-2" node "web-1" slot 1
node.bootstrapped: group "web" id "sim-1" node "web-0" slot 0
machine.ready: group "web" id "sim-1" node "web-0" pass 2 rule "bootstrap" slot 0
machine.ready: fact "open" group "web" id "sim-2" node "web-1" pass 2 rule "probe" slot 1
machine.ready: fact "open" group "web" id "sim-3" node "web-2" pass 2 rule "probe" slot 2
job.done: fact "job/1"
machine.hostkey: fact "the provider reported the host key" group "web" id "sim-1" node "web-0" slot 0
machine.hostkey: fact "the provider reported the host key" group "web" id "sim-1" node "web-0" slot 0
node.bootstrap_reset: fact "the host key of the machine has changed since its keys were made" group "web" id "sim-1" node "web-0" slot 0
job.began: fact "job/16"
job.batch: fact "job/16: batch 1 of 1, web-0"
node.keyed: group "web" id "sim-1" node "web-0" slot 0
node.bootstrapped: group "web" id "sim-1" node "web-0" slot 0
job.done: fact "job/16: stages have succeeded on 1 of 1"
machine.accepted: actor "ana" fact "its host key is SHA256:gFTOPqDRMbggjpabB//dIkR0zJoqEr4E0HG1VthjuhA (ssh-ed25519), and no longer SHA256:MkX6ZXIj7tpoJwmNN5KebD9tLid1YRwwyf70PwUHvcg (ssh-ed25519)" group "web" id "sim-1" node "web-0"
machine.accept_ignored: fact "the host key that the provider reports differs from the accepted one" group "web" node "web-0" slot 0
machine.accepted: actor "ana" fact "its host key is SHA256:JqYERSQHP7cabxN3BB7O9+Vk4i+KRbJbONa+KUqli90 (ssh-ed25519)" group "web" id "sim-2" node "web-1"
machine.hostkey: fact "an operator accepted the host key" group "web" id "sim-2" node "web-1" slot 1
hold.began: fact "1 machine with tags of reeve that this reeve did not create" pass 7 rule "foreign"
machine.accepted: actor "ana" fact "its host key is SHA256:ybS+BuQEEoh7UJvX7Uh7UyUS0HJVxuqb7QONFg83h0E (ssh-ed25519)" group "web" id "sim-3" node "web-2"
machine.hostkey: fact "an operator accepted the host key" group "web" id "sim-3" node "web-2" slot 2
