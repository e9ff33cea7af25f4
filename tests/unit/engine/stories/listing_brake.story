1.000 s (0 decided, last at 0.000 s), 0 lists, 0 other calls, 0 probes
  + /default/Lease/ID/status
    ahead: -999
    clock: "lab"
    session: "life-1"

  + /default/Control/ID/status
    series: {"fbae27432718":[5,1,1]}
    unheard: {"aws":[1,1,1]}
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
  + /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 4
    state: "create"
  + /default/Hold/ID/unlisted/status
    cluster: "shop"
    fact: "aws: only sim is here"
    pass: 1
    rule: "unlisted"
    since: 1760000001000
    wouldCreate: 0
    wouldDestroy: 0
  + /default/Cluster/ID/status
    holds: 1
    machines: {"creating":5,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":6}
    observed: 1
  + /default/Job/ID/00000000000000000001/status
    begun: 1760000001000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["be278337af7648b5"],"group":"db","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1},{"creating":5,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":5}]
    machines: {"creating":5,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":6}
    problems: []
    revision: 1
    state: "running"
    waits: ["unlisted"]

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true
    id: "sim-5"
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

3.000 s, 1 done, 4 held (5 decided, last at 2.500 s), 6 lists, 5 other calls, 0 probes
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
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    active: 2001
    pass: 2
    state: "active"
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    active: 2001
    pass: 2
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":5,"unhealthy":0,"unreachable":0,"wanted":6}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"creating":0,"generations":["be278337af7648b5"],"group":"db","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":5,"updated":5,"wanted":5}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":5,"updated":5,"wanted":6}
    state: "waiting"

61.000 s, 1 done, 2 held (3 decided, last at 33.500 s), 2 lists, 0 other calls, 0 probes
=== four of five are gone
63.500 s (0 decided, last at 33.500 s), 1 lists, 1 other calls, 0 probes
  + /default/Hold/ID/listing_brake/status
    cluster: "shop"
    fact: "4 of 5 machines are missing"
    observation: "4-59353615291bcd86"
    pass: 3
    rule: "listing_brake"
    since: 1760000063500
    sources: ["sim"]
    wouldCreate: 4
    wouldDestroy: 4
  + /default/Hold/ID/listing_brake/web/status
    cluster: "shop"
    fact: "4 of 5 machines are missing"
    group: "web"
    observation: "4-59353615291bcd86"
    pass: 3
    rule: "listing_brake"
    since: 1760000063500
    wouldCreate: 4
    wouldDestroy: 4
  ~ /default/Cluster/ID/status
    holds: 3
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"
    waits: ["unlisted","listing_brake","web:listing_brake"]

  + /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[1,62501,62501,"gone"]}

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[1,62501,62501,"gone"],"fbae2743271800000002de820479c4a8":[1,62501,62501,"gone"]}

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[1,62501,62501,"gone"],"fbae2743271800000002de820479c4a8":[1,62501,62501,"gone"],"fbae27432718000000034981fbfa71b6":[1,62501,62501,"gone"]}

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[1,62501,62501,"gone"],"fbae2743271800000002de820479c4a8":[1,62501,62501,"gone"],"fbae27432718000000034981fbfa71b6":[1,62501,62501,"gone"],"fbae27432718000000047fa3cb7da0a8":[1,62501,62501,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

=== listing_brake of shop/web is answered
64.000 s, 4 done, 1 held (5 decided, last at 63.500 s), 5 lists, 3 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae27432718000000014bd8c442c5f8":[1,63001,63001],"fbae2743271800000002de820479c4a8":[1,63001,63001],"fbae27432718000000034981fbfa71b6":[1,63001,63001],"fbae27432718000000047fa3cb7da0a8":[1,63001,63001]}
    believed: {"fbae27432718000000014bd8c442c5f8":[1,63001,63001],"fbae2743271800000002de820479c4a8":[1,63001,63001],"fbae27432718000000034981fbfa71b6":[1,63001,63001],"fbae27432718000000047fa3cb7da0a8":[1,63001,63001]}
  - /default/Hold/ID/listing_brake/status
  - /default/Hold/ID/listing_brake/web/status
  ~ /default/Cluster/ID/status
    holds: 1
  ~ /default/Job/ID/00000000000000000001/status
    waits: ["unlisted"]

128.500 s, 4 done (4 decided, last at 98.500 s), 4 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae27432718000000014bd8c442c5f8":[2,63001,127501],"fbae2743271800000002de820479c4a8":[2,63001,127501],"fbae27432718000000034981fbfa71b6":[2,63001,127501],"fbae27432718000000047fa3cb7da0a8":[2,63001,127501]}

158.500 s, 1 done (1 decided, last at 128.500 s), 1 lists, 4 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[2,62501,157501,"gone"],"fbae2743271800000002de820479c4a8":[2,62501,157501,"gone"],"fbae27432718000000034981fbfa71b6":[2,62501,157501,"gone"],"fbae27432718000000047fa3cb7da0a8":[2,62501,157501,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

163.500 s, 2 done (2 decided, last at 158.500 s), 2 lists, 4 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[3,62501,162501,"gone"],"fbae2743271800000002de820479c4a8":[3,62501,162501,"gone"],"fbae27432718000000034981fbfa71b6":[3,62501,162501,"gone"],"fbae27432718000000047fa3cb7da0a8":[3,62501,162501,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

168.500 s, 2 done (2 decided, last at 163.500 s), 2 lists, 4 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[4,62501,167501,"gone"],"fbae2743271800000002de820479c4a8":[4,62501,167501,"gone"],"fbae27432718000000034981fbfa71b6":[4,62501,167501,"gone"],"fbae27432718000000047fa3cb7da0a8":[4,62501,167501,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

173.500 s, 2 done (2 decided, last at 168.500 s), 2 lists, 4 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[5,62501,172501,"gone"],"fbae2743271800000002de820479c4a8":[5,62501,172501,"gone"],"fbae27432718000000034981fbfa71b6":[5,62501,172501,"gone"],"fbae27432718000000047fa3cb7da0a8":[5,62501,172501,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

178.500 s, 2 done (2 decided, last at 173.500 s), 2 lists, 4 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[6,62501,177501,"gone"],"fbae2743271800000002de820479c4a8":[6,62501,177501,"gone"],"fbae27432718000000034981fbfa71b6":[6,62501,177501,"gone"],"fbae27432718000000047fa3cb7da0a8":[6,62501,177501,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

183.500 s, 2 done (2 decided, last at 178.500 s), 2 lists, 4 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[7,62501,182501,"gone"],"fbae2743271800000002de820479c4a8":[7,62501,182501,"gone"],"fbae27432718000000034981fbfa71b6":[7,62501,182501,"gone"],"fbae27432718000000047fa3cb7da0a8":[7,62501,182501,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

188.500 s, 2 done (2 decided, last at 183.500 s), 2 lists, 4 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae27432718000000014bd8c442c5f8":[3,63001,187501],"fbae2743271800000002de820479c4a8":[3,63001,187501],"fbae27432718000000034981fbfa71b6":[3,63001,187501],"fbae27432718000000047fa3cb7da0a8":[3,63001,187501]}
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[8,62501,187501,"gone"],"fbae2743271800000002de820479c4a8":[8,62501,187501,"gone"],"fbae27432718000000034981fbfa71b6":[8,62501,187501,"gone"],"fbae27432718000000047fa3cb7da0a8":[8,62501,187501,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

193.500 s, 2 done (2 decided, last at 188.500 s), 2 lists, 4 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[9,62501,192501,"gone"],"fbae2743271800000002de820479c4a8":[9,62501,192501,"gone"],"fbae27432718000000034981fbfa71b6":[9,62501,192501,"gone"],"fbae27432718000000047fa3cb7da0a8":[9,62501,192501,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

198.500 s, 2 done (2 decided, last at 193.500 s), 2 lists, 4 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[10,62501,197501,"gone"],"fbae2743271800000002de820479c4a8":[10,62501,197501,"gone"],"fbae27432718000000034981fbfa71b6":[10,62501,197501,"gone"],"fbae27432718000000047fa3cb7da0a8":[10,62501,197501,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

203.500 s, 2 done (2 decided, last at 198.500 s), 2 lists, 4 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[11,62501,202501,"gone"],"fbae2743271800000002de820479c4a8":[11,62501,202501,"gone"],"fbae27432718000000034981fbfa71b6":[11,62501,202501,"gone"],"fbae27432718000000047fa3cb7da0a8":[11,62501,202501,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

208.500 s, 2 done (2 decided, last at 203.500 s), 2 lists, 4 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[12,62501,207501,"gone"],"fbae2743271800000002de820479c4a8":[12,62501,207501,"gone"],"fbae27432718000000034981fbfa71b6":[12,62501,207501,"gone"],"fbae27432718000000047fa3cb7da0a8":[12,62501,207501,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

213.500 s, 2 done (2 decided, last at 208.500 s), 2 lists, 4 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[13,62501,212501,"gone"],"fbae2743271800000002de820479c4a8":[13,62501,212501,"gone"],"fbae27432718000000034981fbfa71b6":[13,62501,212501,"gone"],"fbae27432718000000047fa3cb7da0a8":[13,62501,212501,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

218.500 s, 2 done (2 decided, last at 213.500 s), 2 lists, 4 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[14,62501,217501,"gone"],"fbae2743271800000002de820479c4a8":[14,62501,217501,"gone"],"fbae27432718000000034981fbfa71b6":[14,62501,217501,"gone"],"fbae27432718000000047fa3cb7da0a8":[14,62501,217501,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

223.500 s, 2 done (2 decided, last at 218.500 s), 2 lists, 4 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[15,62501,222501,"gone"],"fbae2743271800000002de820479c4a8":[15,62501,222501,"gone"],"fbae27432718000000034981fbfa71b6":[15,62501,222501,"gone"],"fbae27432718000000047fa3cb7da0a8":[15,62501,222501,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

228.500 s, 2 done (2 decided, last at 223.500 s), 2 lists, 4 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[16,62501,227501,"gone"],"fbae2743271800000002de820479c4a8":[16,62501,227501,"gone"],"fbae27432718000000034981fbfa71b6":[16,62501,227501,"gone"],"fbae27432718000000047fa3cb7da0a8":[16,62501,227501,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

233.500 s, 2 done (2 decided, last at 228.500 s), 2 lists, 4 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[17,62501,232501,"gone"],"fbae2743271800000002de820479c4a8":[17,62501,232501,"gone"],"fbae27432718000000034981fbfa71b6":[17,62501,232501,"gone"],"fbae27432718000000047fa3cb7da0a8":[17,62501,232501,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

238.500 s, 2 done (2 decided, last at 233.500 s), 2 lists, 4 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[18,62501,237501,"gone"],"fbae2743271800000002de820479c4a8":[18,62501,237501,"gone"],"fbae27432718000000034981fbfa71b6":[18,62501,237501,"gone"],"fbae27432718000000047fa3cb7da0a8":[18,62501,237501,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

243.500 s, 2 done (2 decided, last at 238.500 s), 2 lists, 4 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[19,62501,242501,"gone"],"fbae2743271800000002de820479c4a8":[19,62501,242501,"gone"],"fbae27432718000000034981fbfa71b6":[19,62501,242501,"gone"],"fbae27432718000000047fa3cb7da0a8":[19,62501,242501,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

248.500 s, 2 done (2 decided, last at 243.500 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    condemned: 247501
    pass: 5
    reason: "lost"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    condemned: 247501
    pass: 5
    reason: "lost"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    condemned: 247501
    pass: 5
    reason: "lost"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    condemned: 247501
    pass: 5
    reason: "lost"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":4,"outdated":0,"ready":1,"unhealthy":0,"unreachable":0,"wanted":6}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"creating":0,"generations":["be278337af7648b5"],"group":"db","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":4,"old":0,"ready":1,"updated":1,"wanted":5}]
    machines: {"creating":0,"leaving":4,"old":0,"ready":1,"updated":1,"wanted":6}
    state: "running"

  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[9,1,247501]}
  + /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    created: 247501
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000248500
    pass: 6
    reason: "free_slot"
    slot: 0
    state: "create"
  + /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    created: 247501
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000248500
    pass: 6
    reason: "free_slot"
    slot: 1
    state: "create"
  + /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    created: 247501
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000248500
    pass: 6
    reason: "free_slot"
    slot: 2
    state: "create"
  + /default/Resource/ID/fbae27432718000000095ddad54ef4c3/status
    created: 247501
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000248500
    pass: 6
    reason: "free_slot"
    slot: 3
    state: "create"
  - /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
  - /default/Resource/ID/fbae2743271800000002de820479c4a8/status
  - /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
  - /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
  ~ /default/Cluster/ID/status
    machines: {"creating":4,"failed":0,"leaving":0,"outdated":0,"ready":1,"unhealthy":0,"unreachable":0,"wanted":6}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"creating":0,"generations":["be278337af7648b5"],"group":"db","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1},{"creating":4,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":1,"updated":1,"wanted":5}]
    machines: {"creating":4,"leaving":0,"old":0,"ready":1,"updated":1,"wanted":6}

  ~ /default/Resource/ID/fbae27432718000000095ddad54ef4c3/status
    answered: true
    id: "sim-9"
  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    answered: true
    id: "sim-8"
  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    answered: true
    id: "sim-7"
  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    answered: true
    id: "sim-6"

250.500 s, 2 done, 4 held (6 decided, last at 250.000 s), 6 lists, 8 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000095ddad54ef4c3/status
    active: 249501
    pass: 7
    state: "active"
  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    active: 249501
    pass: 7
    state: "active"
  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    active: 249501
    pass: 7
    state: "active"
  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    active: 249501
    pass: 7
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":5,"unhealthy":0,"unreachable":0,"wanted":6}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"creating":0,"generations":["be278337af7648b5"],"group":"db","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":5,"updated":5,"wanted":5}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":5,"updated":5,"wanted":6}
    state: "waiting"

1864.000 s, 1 done, 54 held (55 decided, last at 1841.000 s), 54 lists, 0 other calls, 0 probes
=== four again, and nobody answers
1871.000 s (0 decided, last at 1841.000 s), 1 lists, 1 other calls, 0 probes
  + /default/Hold/ID/listing_brake/status
    cluster: "shop"
    fact: "4 of 5 machines are missing"
    observation: "4-0a5c5c22c286604e"
    pass: 8
    rule: "listing_brake"
    since: 1760001871000
    sources: ["sim"]
    wouldCreate: 4
    wouldDestroy: 4
  + /default/Hold/ID/listing_brake/web/status
    cluster: "shop"
    fact: "4 of 5 machines are missing"
    group: "web"
    observation: "4-0a5c5c22c286604e"
    pass: 8
    rule: "listing_brake"
    since: 1760001871000
    wouldCreate: 4
    wouldDestroy: 4
  ~ /default/Cluster/ID/status
    holds: 3
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"
    waits: ["unlisted","listing_brake","web:listing_brake"]

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[19,62501,242501,"gone"],"fbae2743271800000002de820479c4a8":[19,62501,242501,"gone"],"fbae27432718000000034981fbfa71b6":[19,62501,242501,"gone"],"fbae27432718000000047fa3cb7da0a8":[19,62501,242501,"gone"],"fbae2743271800000006d526b3fb02f2":[1,1870001,1870001,"gone"]}

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[19,62501,242501,"gone"],"fbae2743271800000002de820479c4a8":[19,62501,242501,"gone"],"fbae27432718000000034981fbfa71b6":[19,62501,242501,"gone"],"fbae27432718000000047fa3cb7da0a8":[19,62501,242501,"gone"],"fbae2743271800000006d526b3fb02f2":[1,1870001,1870001,"gone"],"fbae2743271800000007ff39ce7d3478":[1,1870001,1870001,"gone"]}

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[19,62501,242501,"gone"],"fbae2743271800000002de820479c4a8":[19,62501,242501,"gone"],"fbae27432718000000034981fbfa71b6":[19,62501,242501,"gone"],"fbae27432718000000047fa3cb7da0a8":[19,62501,242501,"gone"],"fbae2743271800000006d526b3fb02f2":[1,1870001,1870001,"gone"],"fbae2743271800000007ff39ce7d3478":[1,1870001,1870001,"gone"],"fbae2743271800000008bd5b8c474eec":[1,1870001,1870001,"gone"]}

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[19,62501,242501,"gone"],"fbae2743271800000002de820479c4a8":[19,62501,242501,"gone"],"fbae27432718000000034981fbfa71b6":[19,62501,242501,"gone"],"fbae27432718000000047fa3cb7da0a8":[19,62501,242501,"gone"],"fbae27432718000000052c80c771e46a":[1,1870001,1870001,"gone"],"fbae2743271800000006d526b3fb02f2":[1,1870001,1870001,"gone"],"fbae2743271800000007ff39ce7d3478":[1,1870001,1870001,"gone"],"fbae2743271800000008bd5b8c474eec":[1,1870001,1870001,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

1876.000 s, 4 done, 1 held (5 decided, last at 1871.000 s), 5 lists, 4 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[19,62501,242501,"gone"],"fbae2743271800000002de820479c4a8":[19,62501,242501,"gone"],"fbae27432718000000034981fbfa71b6":[19,62501,242501,"gone"],"fbae27432718000000047fa3cb7da0a8":[19,62501,242501,"gone"],"fbae27432718000000052c80c771e46a":[1,1870001,1870001,"gone"],"fbae2743271800000006d526b3fb02f2":[2,1870001,1875001,"gone"],"fbae2743271800000007ff39ce7d3478":[1,1870001,1870001,"gone"],"fbae2743271800000008bd5b8c474eec":[1,1870001,1870001,"gone"]}

  ~ /default/Hold/ID/listing_brake/status
    fact: "3 of 5 machines are missing"
    pass: 9
    wouldCreate: 3
    wouldDestroy: 3
  ~ /default/Hold/ID/listing_brake/web/status
    fact: "3 of 5 machines are missing"
    pass: 9
    wouldCreate: 3
    wouldDestroy: 3

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[19,62501,242501,"gone"],"fbae2743271800000002de820479c4a8":[19,62501,242501,"gone"],"fbae27432718000000034981fbfa71b6":[19,62501,242501,"gone"],"fbae27432718000000047fa3cb7da0a8":[19,62501,242501,"gone"],"fbae27432718000000052c80c771e46a":[1,1870001,1870001,"gone"],"fbae2743271800000006d526b3fb02f2":[2,1870001,1875001,"gone"],"fbae2743271800000007ff39ce7d3478":[2,1870001,1875001,"gone"],"fbae2743271800000008bd5b8c474eec":[1,1870001,1870001,"gone"]}

  ~ /default/Control/ID/web/status
    absent: {"fbae27432718000000052c80c771e46a":[1,1875001,1875001],"fbae2743271800000006d526b3fb02f2":[1,1875001,1875001],"fbae2743271800000007ff39ce7d3478":[1,1875001,1875001],"fbae2743271800000008bd5b8c474eec":[1,1875001,1875001]}
    lookups: {"fbae27432718000000052c80c771e46a":[1,1870001,1870001,"gone"],"fbae2743271800000006d526b3fb02f2":[2,1870001,1875001,"gone"],"fbae2743271800000007ff39ce7d3478":[2,1870001,1875001,"gone"],"fbae2743271800000008bd5b8c474eec":[1,1870001,1870001,"gone"]}
    believed: (none)
  - /default/Hold/ID/listing_brake/status
  - /default/Hold/ID/listing_brake/web/status
  ~ /default/Cluster/ID/status
    holds: 1
  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"
    waits: ["unlisted"]

1941.000 s, 5 done (5 decided, last at 1911.000 s), 5 lists, 1 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae27432718000000052c80c771e46a":[2,1875001,1940001],"fbae2743271800000006d526b3fb02f2":[2,1875001,1940001],"fbae2743271800000007ff39ce7d3478":[2,1875001,1940001],"fbae2743271800000008bd5b8c474eec":[2,1875001,1940001]}

1971.000 s, 1 done (1 decided, last at 1941.000 s), 1 lists, 4 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[2,1870001,1970001,"gone"],"fbae2743271800000006d526b3fb02f2":[3,1870001,1970001,"gone"],"fbae2743271800000007ff39ce7d3478":[3,1870001,1970001,"gone"],"fbae2743271800000008bd5b8c474eec":[2,1870001,1970001,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

1976.000 s, 2 done (2 decided, last at 1971.000 s), 2 lists, 4 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[3,1870001,1975001,"gone"],"fbae2743271800000006d526b3fb02f2":[4,1870001,1975001,"gone"],"fbae2743271800000007ff39ce7d3478":[4,1870001,1975001,"gone"],"fbae2743271800000008bd5b8c474eec":[3,1870001,1975001,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

1981.000 s, 2 done (2 decided, last at 1976.000 s), 2 lists, 4 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[4,1870001,1980001,"gone"],"fbae2743271800000006d526b3fb02f2":[5,1870001,1980001,"gone"],"fbae2743271800000007ff39ce7d3478":[5,1870001,1980001,"gone"],"fbae2743271800000008bd5b8c474eec":[4,1870001,1980001,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

1986.000 s, 2 done (2 decided, last at 1981.000 s), 2 lists, 4 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[5,1870001,1985001,"gone"],"fbae2743271800000006d526b3fb02f2":[6,1870001,1985001,"gone"],"fbae2743271800000007ff39ce7d3478":[6,1870001,1985001,"gone"],"fbae2743271800000008bd5b8c474eec":[5,1870001,1985001,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

1991.000 s, 2 done (2 decided, last at 1986.000 s), 2 lists, 4 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[6,1870001,1990001,"gone"],"fbae2743271800000006d526b3fb02f2":[7,1870001,1990001,"gone"],"fbae2743271800000007ff39ce7d3478":[7,1870001,1990001,"gone"],"fbae2743271800000008bd5b8c474eec":[6,1870001,1990001,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

1996.000 s, 2 done (2 decided, last at 1991.000 s), 2 lists, 4 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[7,1870001,1995001,"gone"],"fbae2743271800000006d526b3fb02f2":[8,1870001,1995001,"gone"],"fbae2743271800000007ff39ce7d3478":[8,1870001,1995001,"gone"],"fbae2743271800000008bd5b8c474eec":[7,1870001,1995001,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

2001.000 s, 2 done (2 decided, last at 1996.000 s), 2 lists, 4 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae27432718000000052c80c771e46a":[3,1875001,2000001],"fbae2743271800000006d526b3fb02f2":[3,1875001,2000001],"fbae2743271800000007ff39ce7d3478":[3,1875001,2000001],"fbae2743271800000008bd5b8c474eec":[3,1875001,2000001]}
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[8,1870001,2000001,"gone"],"fbae2743271800000006d526b3fb02f2":[9,1870001,2000001,"gone"],"fbae2743271800000007ff39ce7d3478":[9,1870001,2000001,"gone"],"fbae2743271800000008bd5b8c474eec":[8,1870001,2000001,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

2006.000 s, 2 done (2 decided, last at 2001.000 s), 2 lists, 4 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[9,1870001,2005001,"gone"],"fbae2743271800000006d526b3fb02f2":[10,1870001,2005001,"gone"],"fbae2743271800000007ff39ce7d3478":[10,1870001,2005001,"gone"],"fbae2743271800000008bd5b8c474eec":[9,1870001,2005001,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

2011.000 s, 2 done (2 decided, last at 2006.000 s), 2 lists, 4 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[10,1870001,2010001,"gone"],"fbae2743271800000006d526b3fb02f2":[11,1870001,2010001,"gone"],"fbae2743271800000007ff39ce7d3478":[11,1870001,2010001,"gone"],"fbae2743271800000008bd5b8c474eec":[10,1870001,2010001,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

2016.000 s, 2 done (2 decided, last at 2011.000 s), 2 lists, 4 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[11,1870001,2015001,"gone"],"fbae2743271800000006d526b3fb02f2":[12,1870001,2015001,"gone"],"fbae2743271800000007ff39ce7d3478":[12,1870001,2015001,"gone"],"fbae2743271800000008bd5b8c474eec":[11,1870001,2015001,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

2021.000 s, 2 done (2 decided, last at 2016.000 s), 2 lists, 4 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[12,1870001,2020001,"gone"],"fbae2743271800000006d526b3fb02f2":[13,1870001,2020001,"gone"],"fbae2743271800000007ff39ce7d3478":[13,1870001,2020001,"gone"],"fbae2743271800000008bd5b8c474eec":[12,1870001,2020001,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

2026.000 s, 2 done (2 decided, last at 2021.000 s), 2 lists, 4 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[13,1870001,2025001,"gone"],"fbae2743271800000006d526b3fb02f2":[14,1870001,2025001,"gone"],"fbae2743271800000007ff39ce7d3478":[14,1870001,2025001,"gone"],"fbae2743271800000008bd5b8c474eec":[13,1870001,2025001,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

2031.000 s, 2 done (2 decided, last at 2026.000 s), 2 lists, 4 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[14,1870001,2030001,"gone"],"fbae2743271800000006d526b3fb02f2":[15,1870001,2030001,"gone"],"fbae2743271800000007ff39ce7d3478":[15,1870001,2030001,"gone"],"fbae2743271800000008bd5b8c474eec":[14,1870001,2030001,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

2036.000 s, 2 done (2 decided, last at 2031.000 s), 2 lists, 4 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[15,1870001,2035001,"gone"],"fbae2743271800000006d526b3fb02f2":[16,1870001,2035001,"gone"],"fbae2743271800000007ff39ce7d3478":[16,1870001,2035001,"gone"],"fbae2743271800000008bd5b8c474eec":[15,1870001,2035001,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

2041.000 s, 2 done (2 decided, last at 2036.000 s), 2 lists, 4 other calls, 0 probes
  ~ /default/Job/ID/00000000000000000001/status
    state: "running"

  ~ /default/Control/ID/web/status
    lookups: {"fbae27432718000000052c80c771e46a":[16,1870001,2040001,"gone"],"fbae2743271800000006d526b3fb02f2":[17,1870001,2040001,"gone"],"fbae2743271800000007ff39ce7d3478":[17,1870001,2040001,"gone"],"fbae2743271800000008bd5b8c474eec":[16,1870001,2040001,"gone"]}

  ~ /default/Job/ID/00000000000000000001/status
    state: "waiting"

2044.000 s, 2 done (2 decided, last at 2041.000 s), 1 lists, 0 other calls, 0 probes
=== no listing
2046.000 s (0 decided, last at 2041.000 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    unheard: {"aws":[1,1,1],"sim":[1,2045001,2045001]}
  ~ /default/Hold/ID/unlisted/status
    fact: "aws: only sim is here; unmanaged: 5 machines"
    pass: 11

2208.555 s, 8 unheard (8 decided, last at 2142.013 s), 8 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    unheard: {"aws":[1,1,1]}
  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    condemned: 2207556
    pass: 12
    reason: "lost"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    condemned: 2207556
    pass: 12
    reason: "lost"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    condemned: 2207556
    pass: 12
    reason: "lost"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    condemned: 2207556
    pass: 12
    reason: "lost"
    state: "delete"
    answered: (none)
  ~ /default/Hold/ID/unlisted/status
    fact: "aws: only sim is here"
    pass: 12
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":4,"outdated":0,"ready":1,"unhealthy":0,"unreachable":0,"wanted":6}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"creating":0,"generations":["be278337af7648b5"],"group":"db","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":4,"old":0,"ready":1,"updated":1,"wanted":5}]
    machines: {"creating":0,"leaving":4,"old":0,"ready":1,"updated":1,"wanted":6}
    state: "running"

  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true
  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    answered: true
  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    answered: true
  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[13,1,2207556]}
  + /default/Resource/ID/fbae274327180000000a4655a5d889ab/status
    created: 2207556
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760002208555
    pass: 13
    reason: "free_slot"
    slot: 0
    state: "create"
  + /default/Resource/ID/fbae274327180000000be80268787167/status
    created: 2207556
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760002208555
    pass: 13
    reason: "free_slot"
    slot: 1
    state: "create"
  + /default/Resource/ID/fbae274327180000000c8e74896e71d8/status
    created: 2207556
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760002208555
    pass: 13
    reason: "free_slot"
    slot: 2
    state: "create"
  + /default/Resource/ID/fbae274327180000000d78159d231454/status
    created: 2207556
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760002208555
    pass: 13
    reason: "free_slot"
    slot: 4
    state: "create"
  - /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
  - /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
  - /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
  - /default/Resource/ID/fbae27432718000000052c80c771e46a/status
  ~ /default/Cluster/ID/status
    machines: {"creating":4,"failed":0,"leaving":0,"outdated":0,"ready":1,"unhealthy":0,"unreachable":0,"wanted":6}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"creating":0,"generations":["be278337af7648b5"],"group":"db","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1},{"creating":4,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":1,"updated":1,"wanted":5}]
    machines: {"creating":4,"leaving":0,"old":0,"ready":1,"updated":1,"wanted":6}

  ~ /default/Resource/ID/fbae274327180000000d78159d231454/status
    answered: true
    id: "sim-13"
  ~ /default/Resource/ID/fbae274327180000000c8e74896e71d8/status
    answered: true
    id: "sim-12"
  ~ /default/Resource/ID/fbae274327180000000be80268787167/status
    answered: true
    id: "sim-11"
  ~ /default/Resource/ID/fbae274327180000000a4655a5d889ab/status
    answered: true
    id: "sim-10"

2210.555 s, 2 done, 4 held (6 decided, last at 2210.055 s), 6 lists, 8 other calls, 0 probes
  ~ /default/Resource/ID/fbae274327180000000d78159d231454/status
    active: 2209556
    pass: 14
    state: "active"
  ~ /default/Resource/ID/fbae274327180000000c8e74896e71d8/status
    active: 2209556
    pass: 14
    state: "active"
  ~ /default/Resource/ID/fbae274327180000000be80268787167/status
    active: 2209556
    pass: 14
    state: "active"
  ~ /default/Resource/ID/fbae274327180000000a4655a5d889ab/status
    active: 2209556
    pass: 14
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":5,"unhealthy":0,"unreachable":0,"wanted":6}
  ~ /default/Job/ID/00000000000000000001/status
    groups: [{"creating":0,"generations":["be278337af7648b5"],"group":"db","leaving":0,"old":0,"ready":0,"updated":0,"wanted":1},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":5,"updated":5,"wanted":5}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":5,"updated":5,"wanted":6}
    state: "waiting"

3964.000 s, 1 done, 59 held (60 decided, last at 3951.055 s), 59 lists, 0 other calls, 0 probes
=== machines with our tags that are not ours
3981.055 s (0 decided, last at 3951.055 s), 1 lists, 0 other calls, 0 probes
  + /default/Hold/ID/foreign/status
    cluster: "shop"
    fact: "1 machine with tags of reeve that this reeve did not create"
    pass: 15
    rule: "foreign"
    since: 1760003981055
    sources: ["sim"]
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 2
  ~ /default/Job/ID/00000000000000000001/status
    waits: ["foreign","unlisted"]

=== the end
4384.000 s, 14 held (14 decided, last at 4371.055 s), 13 lists, 0 other calls, 0 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 61000 stopped 0 reboots 0 at 0 ''
sim-10 web/0 {"resourcePlugin":"sim"} zone '' labels  made 2208555 ended 0 stopped 0 reboots 0 at 0 ''
sim-11 web/1 {"resourcePlugin":"sim"} zone '' labels  made 2208555 ended 0 stopped 0 reboots 0 at 0 ''
sim-12 web/2 {"resourcePlugin":"sim"} zone '' labels  made 2208555 ended 0 stopped 0 reboots 0 at 0 ''
sim-13 web/4 {"resourcePlugin":"sim"} zone '' labels  made 2208555 ended 0 stopped 0 reboots 0 at 0 ''
sim-14 web/0  zone '' labels  made 3964000 ended 0 stopped 0 reboots 0 at 0 ''
sim-15 web/0  zone '' labels  made 4084000 ended 4084000 stopped 0 reboots 0 at 0 ''
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 61000 stopped 0 reboots 0 at 0 ''
sim-3 web/2 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 61000 stopped 0 reboots 0 at 0 ''
sim-4 web/3 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 61000 stopped 0 reboots 0 at 0 ''
sim-5 web/4 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 1864000 stopped 0 reboots 0 at 0 ''
sim-6 web/0 {"resourcePlugin":"sim"} zone '' labels  made 248500 ended 1864000 stopped 0 reboots 0 at 0 ''
sim-7 web/1 {"resourcePlugin":"sim"} zone '' labels  made 248500 ended 1864000 stopped 0 reboots 0 at 0 ''
sim-8 web/2 {"resourcePlugin":"sim"} zone '' labels  made 248500 ended 1864000 stopped 0 reboots 0 at 0 ''
sim-9 web/3 {"resourcePlugin":"sim"} zone '' labels  made 248500 ended 0 stopped 0 reboots 0 at 0 ''
=== events
cluster.created: actor "ana" groups ["db","web"] sums {"change":0,"create":6,"destroy":0,"groups":2,"nodes":6,"reboot":0,"replace":0}
machine.wanted: fact "size is 5, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 5, 0 recorded" group "web" node "web-1" pass 1 rule "free_slot" slot 1
machine.wanted: fact "size is 5, 0 recorded" group "web" node "web-2" pass 1 rule "free_slot" slot 2
machine.wanted: fact "size is 5, 0 recorded" group "web" node "web-3" pass 1 rule "free_slot" slot 3
machine.wanted: fact "size is 5, 0 recorded" group "web" node "web-4" pass 1 rule "free_slot" slot 4
hold.began: fact "aws: only sim is here" pass 1 rule "unlisted"
job.began: fact "job/1"
machine.created: group "web" id "sim-5" node "web-4" pass 1 rule "free_slot" slot 4
machine.created: group "web" id "sim-4" node "web-3" pass 1 rule "free_slot" slot 3
machine.created: group "web" id "sim-3" node "web-2" pass 1 rule "free_slot" slot 2
machine.created: group "web" id "sim-2" node "web-1" pass 1 rule "free_slot" slot 1
machine.created: group "web" id "sim-1" node "web-0" pass 1 rule "free_slot" slot 0
machine.ready: fact "sim-1 runs" group "web" id "sim-1" node "web-0" pass 2 rule "activate" slot 0
machine.ready: fact "sim-2 runs" group "web" id "sim-2" node "web-1" pass 2 rule "activate" slot 1
machine.ready: fact "sim-3 runs" group "web" id "sim-3" node "web-2" pass 2 rule "activate" slot 2
machine.ready: fact "sim-4 runs" group "web" id "sim-4" node "web-3" pass 2 rule "activate" slot 3
machine.ready: fact "sim-5 runs" group "web" id "sim-5" node "web-4" pass 2 rule "activate" slot 4
hold.began: fact "4 of 5 machines are missing" pass 3 rule "listing_brake"
hold.began: fact "4 of 5 machines are missing" group "web" pass 3 rule "listing_brake"
hold.approved: actor "ana" group "web" rule "listing_brake"
hold.ended: pass 4 rule "listing_brake"
hold.ended: group "web" pass 4 rule "listing_brake"
machine.condemned: fact "4 absences; 19 lookups by id did not find the machine" group "web" id "sim-1" node "web-0" pass 5 rule "lost" slot 0
machine.condemned: fact "4 absences; 19 lookups by id did not find the machine" group "web" id "sim-2" node "web-1" pass 5 rule "lost" slot 1
machine.condemned: fact "4 absences; 19 lookups by id did not find the machine" group "web" id "sim-3" node "web-2" pass 5 rule "lost" slot 2
machine.condemned: fact "4 absences; 19 lookups by id did not find the machine" group "web" id "sim-4" node "web-3" pass 5 rule "lost" slot 3
machine.destroyed: group "web" id "sim-4" node "web-3" pass 5 rule "lost" slot 3
machine.destroyed: group "web" id "sim-3" node "web-2" pass 5 rule "lost" slot 2
machine.destroyed: group "web" id "sim-2" node "web-1" pass 5 rule "lost" slot 1
machine.destroyed: group "web" id "sim-1" node "web-0" pass 5 rule "lost" slot 0
machine.wanted: fact "size is 5, 1 recorded" group "web" node "web-0" pass 6 rule "free_slot" slot 0
machine.wanted: fact "size is 5, 1 recorded" group "web" node "web-1" pass 6 rule "free_slot" slot 1
machine.wanted: fact "size is 5, 1 recorded" group "web" node "web-2" pass 6 rule "free_slot" slot 2
machine.wanted: fact "size is 5, 1 recorded" group "web" node "web-3" pass 6 rule "free_slot" slot 3
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-1" node "web-0" pass 6 rule "forget" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-2" node "web-1" pass 6 rule "forget" slot 1
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-3" node "web-2" pass 6 rule "forget" slot 2
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-4" node "web-3" pass 6 rule "forget" slot 3
machine.created: group "web" id "sim-9" node "web-3" pass 6 rule "free_slot" slot 3
machine.created: group "web" id "sim-8" node "web-2" pass 6 rule "free_slot" slot 2
machine.created: group "web" id "sim-7" node "web-1" pass 6 rule "free_slot" slot 1
machine.created: group "web" id "sim-6" node "web-0" pass 6 rule "free_slot" slot 0
machine.ready: fact "sim-9 runs" group "web" id "sim-9" node "web-3" pass 7 rule "activate" slot 3
machine.ready: fact "sim-8 runs" group "web" id "sim-8" node "web-2" pass 7 rule "activate" slot 2
machine.ready: fact "sim-7 runs" group "web" id "sim-7" node "web-1" pass 7 rule "activate" slot 1
machine.ready: fact "sim-6 runs" group "web" id "sim-6" node "web-0" pass 7 rule "activate" slot 0
hold.began: fact "4 of 5 machines are missing" pass 8 rule "listing_brake"
hold.began: fact "4 of 5 machines are missing" group "web" pass 8 rule "listing_brake"
hold.ended: pass 10 rule "listing_brake"
hold.ended: group "web" pass 10 rule "listing_brake"
machine.condemned: fact "4 absences; 16 lookups by id did not find the machine" group "web" id "sim-8" node "web-2" pass 12 rule "lost" slot 2
machine.condemned: fact "4 absences; 17 lookups by id did not find the machine" group "web" id "sim-7" node "web-1" pass 12 rule "lost" slot 1
machine.condemned: fact "4 absences; 17 lookups by id did not find the machine" group "web" id "sim-6" node "web-0" pass 12 rule "lost" slot 0
machine.condemned: fact "4 absences; 16 lookups by id did not find the machine" group "web" id "sim-5" node "web-4" pass 12 rule "lost" slot 4
machine.destroyed: group "web" id "sim-5" node "web-4" pass 12 rule "lost" slot 4
machine.destroyed: group "web" id "sim-6" node "web-0" pass 12 rule "lost" slot 0
machine.destroyed: group "web" id "sim-7" node "web-1" pass 12 rule "lost" slot 1
machine.destroyed: group "web" id "sim-8" node "web-2" pass 12 rule "lost" slot 2
machine.wanted: fact "size is 5, 1 recorded" group "web" node "web-0" pass 13 rule "free_slot" slot 0
machine.wanted: fact "size is 5, 1 recorded" group "web" node "web-1" pass 13 rule "free_slot" slot 1
machine.wanted: fact "size is 5, 1 recorded" group "web" node "web-2" pass 13 rule "free_slot" slot 2
machine.wanted: fact "size is 5, 1 recorded" group "web" node "web-4" pass 13 rule "free_slot" slot 4
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-8" node "web-2" pass 13 rule "forget" slot 2
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-7" node "web-1" pass 13 rule "forget" slot 1
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-6" node "web-0" pass 13 rule "forget" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-5" node "web-4" pass 13 rule "forget" slot 4
machine.created: group "web" id "sim-13" node "web-4" pass 13 rule "free_slot" slot 4
machine.created: group "web" id "sim-12" node "web-2" pass 13 rule "free_slot" slot 2
machine.created: group "web" id "sim-11" node "web-1" pass 13 rule "free_slot" slot 1
machine.created: group "web" id "sim-10" node "web-0" pass 13 rule "free_slot" slot 0
machine.ready: fact "sim-13 runs" group "web" id "sim-13" node "web-4" pass 14 rule "activate" slot 4
machine.ready: fact "sim-12 runs" group "web" id "sim-12" node "web-2" pass 14 rule "activate" slot 2
machine.ready: fact "sim-11 runs" group "web" id "sim-11" node "web-1" pass 14 rule "activate" slot 1
machine.ready: fact "sim-10 runs" group "web" id "sim-10" node "web-0" pass 14 rule "activate" slot 0
hold.began: fact "1 machine with tags of reeve that this reeve did not create" pass 15 rule "foreign"
