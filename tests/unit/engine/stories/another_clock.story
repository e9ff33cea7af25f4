1.000 s (0 decided, last at 0.000 s), 0 lists, 0 other calls, 0 probes
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
    observed: 1
  + /default/Job/ID/00000000000000000001/status
    begun: 1760000001000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":2,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":2}]
    machines: {"creating":2,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":2}
    problems: []
    revision: 1
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true
    id: "sim-2"
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true
    id: "sim-1"

3.000 s, 1 done, 4 quiet (5 decided, last at 2.500 s), 6 lists, 2 other calls, 0 probes
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
  ~ /default/Job/ID/00000000000000000001/status
    ended: 1760000003000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}
    state: "done"

63.500 s, 1 done, 2 quiet (2 decided, last at 33.500 s), 4 lists, 0 other calls, 0 probes
  + /default/Control/ID/web/status
    absent: {"fbae27432718000000014bd8c442c5f8":[1,62501,62501]}

123.500 s, 2 done (2 decided, last at 93.500 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae27432718000000014bd8c442c5f8":[2,62501,122501]}

153.500 s, 2 done (2 decided, last at 153.500 s), 1 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[1,152501,152501,"gone"]}

158.500 s, 2 done (2 decided, last at 158.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[2,152501,157501,"gone"]}

163.500 s, 2 done (2 decided, last at 163.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[3,152501,162501,"gone"]}

168.500 s, 2 done (2 decided, last at 168.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[4,152501,167501,"gone"]}

173.500 s, 2 done (2 decided, last at 173.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[5,152501,172501,"gone"]}

178.500 s, 2 done (2 decided, last at 178.500 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[6,152501,177501,"gone"]}

181.000 s, 1 done (1 decided, last at 178.500 s), 1 lists, 0 other calls, 0 probes
=== a manager on a machine with another clock
  ~ /default/Lease/ID/status
    ahead: -3498
    clock: ""
    session: "life-2"

185.999 s, 1 done (1 decided, last at 181.000 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae27432718000000014bd8c442c5f8":[3,62501,182501]}

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[7,152501,182501,"gone"]}

190.999 s, 3 done (3 decided, last at 190.999 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[8,152501,187501,"gone"]}

195.999 s, 2 done (2 decided, last at 195.999 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[9,152501,192501,"gone"]}

200.999 s, 2 done (2 decided, last at 200.999 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[10,152501,197501,"gone"]}

205.999 s, 2 done (2 decided, last at 205.999 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[11,152501,202501,"gone"]}

210.999 s, 2 done (2 decided, last at 210.999 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[12,152501,207501,"gone"]}

215.999 s, 2 done (2 decided, last at 215.999 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[13,152501,212501,"gone"]}

220.999 s, 2 done (2 decided, last at 220.999 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[14,152501,217501,"gone"]}

225.999 s, 2 done (2 decided, last at 225.999 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[15,152501,222501,"gone"]}

230.999 s, 2 done (2 decided, last at 230.999 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[16,152501,227501,"gone"]}

235.999 s, 2 done (2 decided, last at 235.999 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[17,152501,232501,"gone"]}

240.999 s, 2 done (2 decided, last at 240.999 s), 2 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[18,152501,237501,"gone"]}

245.999 s, 1 done (1 decided, last at 240.999 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    condemned: 242501
    pass: 3
    reason: "lost"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":1,"unhealthy":0,"unreachable":0,"wanted":2}

  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true

  ~ /default/Control/ID/status
    series: {"4981fbfa71b6":[1,242501,242501],"fbae27432718":[2,1,1]}
  + /default/Resource/ID/4981fbfa71b6000000017fa3cb7da0a8/status
    created: 242501
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000245999
    pass: 4
    reason: "free_slot"
    slot: 0
    state: "create"
  - /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":1,"unhealthy":0,"unreachable":0,"wanted":2}

  ~ /default/Resource/ID/4981fbfa71b6000000017fa3cb7da0a8/status
    answered: true
    id: "sim-3"

247.999 s, 2 done, 4 quiet (6 decided, last at 247.499 s), 6 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/4981fbfa71b6000000017fa3cb7da0a8/status
    active: 244501
    pass: 5
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":2}

1381.000 s, 1 done, 38 quiet (3 decided, last at 1358.499 s), 39 lists, 0 other calls, 0 probes
=== and back
  ~ /default/Lease/ID/status
    ahead: -1136498
    clock: "lab"
    session: "life-3"

=== the end
1681.000 s, 10 quiet (1 decided, last at 1651.000 s), 10 lists, 0 other calls, 0 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 61000 stopped 0 reboots 0 at 0 ''
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-3 web/0 {"resourcePlugin":"sim"} zone '' labels  made 245999 ended 0 stopped 0 reboots 0 at 0 ''
=== events
cluster.created: actor "ana" groups ["web"] sums {"change":0,"create":2,"destroy":0,"groups":1,"nodes":2,"reboot":0,"replace":0}
machine.wanted: fact "size is 2, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 2, 0 recorded" group "web" node "web-1" pass 1 rule "free_slot" slot 1
job.began: fact "job/1"
machine.created: group "web" id "sim-2" node "web-1" pass 1 rule "free_slot" slot 1
machine.created: group "web" id "sim-1" node "web-0" pass 1 rule "free_slot" slot 0
machine.ready: fact "sim-1 runs" group "web" id "sim-1" node "web-0" pass 2 rule "activate" slot 0
machine.ready: fact "sim-2 runs" group "web" id "sim-2" node "web-1" pass 2 rule "activate" slot 1
job.done: fact "job/1"
machine.condemned: fact "4 absences; 18 lookups by id did not find the machine" group "web" id "sim-1" node "web-0" pass 3 rule "lost" slot 0
machine.destroyed: group "web" id "sim-1" node "web-0" pass 3 rule "lost" slot 0
machine.wanted: fact "size is 2, 1 recorded" group "web" node "web-0" pass 4 rule "free_slot" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-1" node "web-0" pass 4 rule "forget" slot 0
machine.created: group "web" id "sim-3" node "web-0" pass 4 rule "free_slot" slot 0
machine.ready: fact "sim-3 runs" group "web" id "sim-3" node "web-0" pass 5 rule "activate" slot 0
