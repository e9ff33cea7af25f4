1.000 s (0 decided, last at 0.000 s), 0 lists, 0 other calls, 0 probes
  + /default/Lease/ID/status
    ahead: -999
    clock: "lab"
    session: "life-1"

  + /default/Control/ID/status
    series: {"fbae27432718":[12,1,1]}
  + /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "db"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 0
    state: "create"
  + /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "db"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 1
    state: "create"
  + /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "db"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 2
    state: "create"
  + /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "db"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 3
    state: "create"
  + /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "db"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 4
    state: "create"
  + /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "db"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 5
    state: "create"
  + /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 0
    state: "create"
  + /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 1
    state: "create"
  + /default/Resource/ID/fbae27432718000000095ddad54ef4c3/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 2
    state: "create"
  + /default/Resource/ID/fbae274327180000000a1ae5e4a46c97/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 3
    state: "create"
  + /default/Resource/ID/fbae274327180000000b77a2035ba595/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 4
    state: "create"
  + /default/Resource/ID/fbae274327180000000c64dfe452be0f/status
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000001000
    pass: 1
    reason: "free_slot"
    slot: 5
    state: "create"
  + /default/Cluster/ID/status
    holds: 0
    machines: {"creating":12,"failed":0,"leaving":0,"outdated":0,"ready":0,"unhealthy":0,"unreachable":0,"wanted":12}
    observed: 1
  + /default/Job/ID/00000000000000000001/status
    begun: 1760000001000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":6,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":0,"updated":0,"wanted":6},{"creating":6,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":0,"updated":0,"wanted":6}]
    machines: {"creating":12,"leaving":0,"old":0,"ready":0,"updated":0,"wanted":12}
    problems: []
    revision: 1
    state: "running"
    waits: []

  ~ /default/Resource/ID/fbae274327180000000c64dfe452be0f/status
    answered: true
    id: "sim-12"
  ~ /default/Resource/ID/fbae274327180000000b77a2035ba595/status
    answered: true
    id: "sim-11"
  ~ /default/Resource/ID/fbae274327180000000a1ae5e4a46c97/status
    answered: true
    id: "sim-10"
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

3.000 s, 1 done, 4 quiet (5 decided, last at 2.500 s), 6 lists, 12 other calls, 0 probes
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
  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    active: 2001
    pass: 2
    state: "active"
  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    active: 2001
    pass: 2
    state: "active"
  ~ /default/Resource/ID/fbae2743271800000008bd5b8c474eec/status
    active: 2001
    pass: 2
    state: "active"
  ~ /default/Resource/ID/fbae27432718000000095ddad54ef4c3/status
    active: 2001
    pass: 2
    state: "active"
  ~ /default/Resource/ID/fbae274327180000000a1ae5e4a46c97/status
    active: 2001
    pass: 2
    state: "active"
  ~ /default/Resource/ID/fbae274327180000000b77a2035ba595/status
    active: 2001
    pass: 2
    state: "active"
  ~ /default/Resource/ID/fbae274327180000000c64dfe452be0f/status
    active: 2001
    pass: 2
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":12,"unhealthy":0,"unreachable":0,"wanted":12}
  ~ /default/Job/ID/00000000000000000001/status
    ended: 1760000003000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"db","leaving":0,"old":0,"ready":6,"updated":6,"wanted":6},{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":6,"updated":6,"wanted":6}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":12,"updated":12,"wanted":12}
    state: "done"

61.000 s, 1 done, 2 quiet (2 decided, last at 33.500 s), 2 lists, 0 other calls, 0 probes
=== four of web are gone
63.500 s (0 decided, last at 33.500 s), 2 lists, 0 other calls, 0 probes
  + /default/Control/ID/web/status
    absent: {"fbae274327180000000a1ae5e4a46c97":[1,62501,62501],"fbae274327180000000b77a2035ba595":[1,62501,62501],"fbae274327180000000c64dfe452be0f":[1,62501,62501]}
  + /default/Control/ID/db/status
    absent: {"fbae27432718000000014bd8c442c5f8":[1,62501,62501]}

=== listing_brake of shop/web is not there
=== listing_brake of shop/db is not there
64.000 s, 1 done (1 decided, last at 63.500 s), 0 lists, 0 other calls, 0 probes
=== and more, before the answer has its effect
93.500 s (0 decided, last at 63.500 s), 1 lists, 1 other calls, 0 probes
  + /default/Hold/ID/listing_brake/status
    cluster: "shop"
    fact: "10 of 12 machines are missing"
    observation: "10-5cce4f8f42626257"
    pass: 3
    rule: "listing_brake"
    since: 1760000093500
    sources: ["sim"]
    wouldCreate: 10
    wouldDestroy: 10
  + /default/Hold/ID/listing_brake/db/status
    cluster: "shop"
    fact: "6 of 6 machines are missing"
    group: "db"
    observation: "6-2653eec5160e3786"
    pass: 3
    rule: "listing_brake"
    since: 1760000093500
    wouldCreate: 6
    wouldDestroy: 6
  + /default/Hold/ID/listing_brake/web/status
    cluster: "shop"
    fact: "4 of 6 machines are missing"
    group: "web"
    observation: "4-367a60ca2c542ad1"
    pass: 3
    rule: "listing_brake"
    since: 1760000093500
    wouldCreate: 4
    wouldDestroy: 4
  ~ /default/Cluster/ID/status
    holds: 3

  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[1,92501,92501,"gone"]}

  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[1,92501,92501,"gone"],"fbae2743271800000002de820479c4a8":[1,92501,92501,"gone"]}

  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[1,92501,92501,"gone"],"fbae2743271800000002de820479c4a8":[1,92501,92501,"gone"],"fbae27432718000000034981fbfa71b6":[1,92501,92501,"gone"]}

  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[1,92501,92501,"gone"],"fbae2743271800000002de820479c4a8":[1,92501,92501,"gone"],"fbae27432718000000034981fbfa71b6":[1,92501,92501,"gone"],"fbae27432718000000047fa3cb7da0a8":[1,92501,92501,"gone"]}

  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[1,92501,92501,"gone"],"fbae2743271800000002de820479c4a8":[1,92501,92501,"gone"],"fbae27432718000000034981fbfa71b6":[1,92501,92501,"gone"],"fbae27432718000000047fa3cb7da0a8":[1,92501,92501,"gone"],"fbae27432718000000052c80c771e46a":[1,92501,92501,"gone"]}

  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[1,92501,92501,"gone"],"fbae2743271800000002de820479c4a8":[1,92501,92501,"gone"],"fbae27432718000000034981fbfa71b6":[1,92501,92501,"gone"],"fbae27432718000000047fa3cb7da0a8":[1,92501,92501,"gone"],"fbae27432718000000052c80c771e46a":[1,92501,92501,"gone"],"fbae2743271800000006d526b3fb02f2":[1,92501,92501,"gone"]}

  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000007ff39ce7d3478":[1,92501,92501,"gone"]}

  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000007ff39ce7d3478":[1,92501,92501,"gone"],"fbae274327180000000a1ae5e4a46c97":[1,92501,92501,"gone"]}

  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000007ff39ce7d3478":[1,92501,92501,"gone"],"fbae274327180000000a1ae5e4a46c97":[1,92501,92501,"gone"],"fbae274327180000000b77a2035ba595":[1,92501,92501,"gone"]}

  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000007ff39ce7d3478":[1,92501,92501,"gone"],"fbae274327180000000a1ae5e4a46c97":[1,92501,92501,"gone"],"fbae274327180000000b77a2035ba595":[1,92501,92501,"gone"],"fbae274327180000000c64dfe452be0f":[1,92501,92501,"gone"]}

=== listing_brake of shop is answered
98.500 s, 11 done, 2 held (13 decided, last at 98.500 s), 12 lists, 10 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[2,92501,97501,"gone"],"fbae2743271800000002de820479c4a8":[1,92501,92501,"gone"],"fbae27432718000000034981fbfa71b6":[1,92501,92501,"gone"],"fbae27432718000000047fa3cb7da0a8":[1,92501,92501,"gone"],"fbae27432718000000052c80c771e46a":[1,92501,92501,"gone"],"fbae2743271800000006d526b3fb02f2":[1,92501,92501,"gone"]}

  ~ /default/Hold/ID/listing_brake/status
    fact: "9 of 12 machines are missing"
    pass: 4
    wouldCreate: 9
    wouldDestroy: 9
  ~ /default/Hold/ID/listing_brake/db/status
    fact: "5 of 6 machines are missing"
    pass: 4
    wouldCreate: 5
    wouldDestroy: 5

  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[2,92501,97501,"gone"],"fbae2743271800000002de820479c4a8":[2,92501,97501,"gone"],"fbae27432718000000034981fbfa71b6":[1,92501,92501,"gone"],"fbae27432718000000047fa3cb7da0a8":[1,92501,92501,"gone"],"fbae27432718000000052c80c771e46a":[1,92501,92501,"gone"],"fbae2743271800000006d526b3fb02f2":[1,92501,92501,"gone"]}

  ~ /default/Hold/ID/listing_brake/status
    fact: "8 of 12 machines are missing"
    pass: 5
    wouldCreate: 8
    wouldDestroy: 8
  ~ /default/Hold/ID/listing_brake/db/status
    fact: "4 of 6 machines are missing"
    pass: 5
    wouldCreate: 4
    wouldDestroy: 4

  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[2,92501,97501,"gone"],"fbae2743271800000002de820479c4a8":[2,92501,97501,"gone"],"fbae27432718000000034981fbfa71b6":[2,92501,97501,"gone"],"fbae27432718000000047fa3cb7da0a8":[1,92501,92501,"gone"],"fbae27432718000000052c80c771e46a":[1,92501,92501,"gone"],"fbae2743271800000006d526b3fb02f2":[1,92501,92501,"gone"]}

  ~ /default/Hold/ID/listing_brake/status
    fact: "7 of 12 machines are missing"
    pass: 6
    wouldCreate: 7
    wouldDestroy: 7
  - /default/Hold/ID/listing_brake/db/status
  ~ /default/Cluster/ID/status
    holds: 2

  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[2,92501,97501,"gone"],"fbae2743271800000002de820479c4a8":[2,92501,97501,"gone"],"fbae27432718000000034981fbfa71b6":[2,92501,97501,"gone"],"fbae27432718000000047fa3cb7da0a8":[2,92501,97501,"gone"],"fbae27432718000000052c80c771e46a":[1,92501,92501,"gone"],"fbae2743271800000006d526b3fb02f2":[1,92501,92501,"gone"]}

  ~ /default/Control/ID/db/status
    absent: {"fbae27432718000000014bd8c442c5f8":[1,62501,62501],"fbae2743271800000002de820479c4a8":[1,97501,97501],"fbae27432718000000034981fbfa71b6":[1,97501,97501],"fbae27432718000000047fa3cb7da0a8":[1,97501,97501],"fbae27432718000000052c80c771e46a":[1,97501,97501],"fbae2743271800000006d526b3fb02f2":[1,97501,97501]}
  - /default/Hold/ID/listing_brake/status
  ~ /default/Cluster/ID/status
    holds: 1

  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000007ff39ce7d3478":[2,92501,97501,"gone"],"fbae274327180000000a1ae5e4a46c97":[1,92501,92501,"gone"],"fbae274327180000000b77a2035ba595":[1,92501,92501,"gone"],"fbae274327180000000c64dfe452be0f":[1,92501,92501,"gone"]}

  ~ /default/Control/ID/web/status
    absent: {"fbae2743271800000007ff39ce7d3478":[1,97501,97501],"fbae274327180000000a1ae5e4a46c97":[1,62501,62501],"fbae274327180000000b77a2035ba595":[1,62501,62501],"fbae274327180000000c64dfe452be0f":[1,62501,62501]}
  - /default/Hold/ID/listing_brake/web/status
  ~ /default/Cluster/ID/status
    holds: 0

133.500 s, 6 done (6 decided, last at 103.500 s), 7 lists, 4 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae2743271800000007ff39ce7d3478":[1,97501,97501],"fbae274327180000000a1ae5e4a46c97":[2,62501,132501],"fbae274327180000000b77a2035ba595":[2,62501,132501],"fbae274327180000000c64dfe452be0f":[2,62501,132501]}
  ~ /default/Control/ID/db/status
    absent: {"fbae27432718000000014bd8c442c5f8":[2,62501,132501],"fbae2743271800000002de820479c4a8":[1,97501,97501],"fbae27432718000000034981fbfa71b6":[1,97501,97501],"fbae27432718000000047fa3cb7da0a8":[1,97501,97501],"fbae27432718000000052c80c771e46a":[1,97501,97501],"fbae2743271800000006d526b3fb02f2":[1,97501,97501]}

163.500 s, 1 done (1 decided, last at 133.500 s), 1 lists, 4 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae2743271800000007ff39ce7d3478":[2,97501,162501],"fbae274327180000000a1ae5e4a46c97":[2,62501,132501],"fbae274327180000000b77a2035ba595":[2,62501,132501],"fbae274327180000000c64dfe452be0f":[2,62501,132501]}
  ~ /default/Control/ID/db/status
    absent: {"fbae27432718000000014bd8c442c5f8":[2,62501,132501],"fbae2743271800000002de820479c4a8":[2,97501,162501],"fbae27432718000000034981fbfa71b6":[2,97501,162501],"fbae27432718000000047fa3cb7da0a8":[2,97501,162501],"fbae27432718000000052c80c771e46a":[2,97501,162501],"fbae2743271800000006d526b3fb02f2":[2,97501,162501]}

  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[3,92501,162501,"gone"],"fbae2743271800000002de820479c4a8":[2,92501,97501,"gone"],"fbae27432718000000034981fbfa71b6":[2,92501,97501,"gone"],"fbae27432718000000047fa3cb7da0a8":[2,92501,97501,"gone"],"fbae27432718000000052c80c771e46a":[1,92501,92501,"gone"],"fbae2743271800000006d526b3fb02f2":[1,92501,92501,"gone"]}
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000007ff39ce7d3478":[2,92501,97501,"gone"],"fbae274327180000000a1ae5e4a46c97":[2,92501,162501,"gone"],"fbae274327180000000b77a2035ba595":[2,92501,162501,"gone"],"fbae274327180000000c64dfe452be0f":[2,92501,162501,"gone"]}

  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[3,92501,162501,"gone"],"fbae2743271800000002de820479c4a8":[3,92501,162501,"gone"],"fbae27432718000000034981fbfa71b6":[3,92501,162501,"gone"],"fbae27432718000000047fa3cb7da0a8":[3,92501,162501,"gone"],"fbae27432718000000052c80c771e46a":[2,92501,162501,"gone"],"fbae2743271800000006d526b3fb02f2":[2,92501,162501,"gone"]}
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000007ff39ce7d3478":[3,92501,162501,"gone"],"fbae274327180000000a1ae5e4a46c97":[2,92501,162501,"gone"],"fbae274327180000000b77a2035ba595":[2,92501,162501,"gone"],"fbae274327180000000c64dfe452be0f":[2,92501,162501,"gone"]}

168.500 s, 4 done (4 decided, last at 168.500 s), 3 lists, 16 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[4,92501,167501,"gone"],"fbae2743271800000002de820479c4a8":[4,92501,167501,"gone"],"fbae27432718000000034981fbfa71b6":[4,92501,167501,"gone"],"fbae27432718000000047fa3cb7da0a8":[4,92501,167501,"gone"],"fbae27432718000000052c80c771e46a":[3,92501,167501,"gone"],"fbae2743271800000006d526b3fb02f2":[3,92501,167501,"gone"]}
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000007ff39ce7d3478":[4,92501,167501,"gone"],"fbae274327180000000a1ae5e4a46c97":[3,92501,167501,"gone"],"fbae274327180000000b77a2035ba595":[3,92501,167501,"gone"],"fbae274327180000000c64dfe452be0f":[3,92501,167501,"gone"]}

173.500 s, 2 done (2 decided, last at 173.500 s), 2 lists, 10 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[5,92501,172501,"gone"],"fbae2743271800000002de820479c4a8":[5,92501,172501,"gone"],"fbae27432718000000034981fbfa71b6":[5,92501,172501,"gone"],"fbae27432718000000047fa3cb7da0a8":[5,92501,172501,"gone"],"fbae27432718000000052c80c771e46a":[4,92501,172501,"gone"],"fbae2743271800000006d526b3fb02f2":[4,92501,172501,"gone"]}
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000007ff39ce7d3478":[5,92501,172501,"gone"],"fbae274327180000000a1ae5e4a46c97":[4,92501,172501,"gone"],"fbae274327180000000b77a2035ba595":[4,92501,172501,"gone"],"fbae274327180000000c64dfe452be0f":[4,92501,172501,"gone"]}

178.500 s, 2 done (2 decided, last at 178.500 s), 2 lists, 10 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[6,92501,177501,"gone"],"fbae2743271800000002de820479c4a8":[6,92501,177501,"gone"],"fbae27432718000000034981fbfa71b6":[6,92501,177501,"gone"],"fbae27432718000000047fa3cb7da0a8":[6,92501,177501,"gone"],"fbae27432718000000052c80c771e46a":[5,92501,177501,"gone"],"fbae2743271800000006d526b3fb02f2":[5,92501,177501,"gone"]}
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000007ff39ce7d3478":[6,92501,177501,"gone"],"fbae274327180000000a1ae5e4a46c97":[5,92501,177501,"gone"],"fbae274327180000000b77a2035ba595":[5,92501,177501,"gone"],"fbae274327180000000c64dfe452be0f":[5,92501,177501,"gone"]}

183.500 s, 2 done (2 decided, last at 183.500 s), 2 lists, 10 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[7,92501,182501,"gone"],"fbae2743271800000002de820479c4a8":[7,92501,182501,"gone"],"fbae27432718000000034981fbfa71b6":[7,92501,182501,"gone"],"fbae27432718000000047fa3cb7da0a8":[7,92501,182501,"gone"],"fbae27432718000000052c80c771e46a":[6,92501,182501,"gone"],"fbae2743271800000006d526b3fb02f2":[6,92501,182501,"gone"]}
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000007ff39ce7d3478":[7,92501,182501,"gone"],"fbae274327180000000a1ae5e4a46c97":[6,92501,182501,"gone"],"fbae274327180000000b77a2035ba595":[6,92501,182501,"gone"],"fbae274327180000000c64dfe452be0f":[6,92501,182501,"gone"]}

188.500 s, 2 done (2 decided, last at 188.500 s), 2 lists, 10 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[8,92501,187501,"gone"],"fbae2743271800000002de820479c4a8":[8,92501,187501,"gone"],"fbae27432718000000034981fbfa71b6":[8,92501,187501,"gone"],"fbae27432718000000047fa3cb7da0a8":[8,92501,187501,"gone"],"fbae27432718000000052c80c771e46a":[7,92501,187501,"gone"],"fbae2743271800000006d526b3fb02f2":[7,92501,187501,"gone"]}
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000007ff39ce7d3478":[8,92501,187501,"gone"],"fbae274327180000000a1ae5e4a46c97":[7,92501,187501,"gone"],"fbae274327180000000b77a2035ba595":[7,92501,187501,"gone"],"fbae274327180000000c64dfe452be0f":[7,92501,187501,"gone"]}

193.500 s, 1 done (1 decided, last at 188.500 s), 2 lists, 10 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae2743271800000007ff39ce7d3478":[2,97501,162501],"fbae274327180000000a1ae5e4a46c97":[3,62501,192501],"fbae274327180000000b77a2035ba595":[3,62501,192501],"fbae274327180000000c64dfe452be0f":[3,62501,192501]}
  ~ /default/Control/ID/db/status
    absent: {"fbae27432718000000014bd8c442c5f8":[3,62501,192501],"fbae2743271800000002de820479c4a8":[2,97501,162501],"fbae27432718000000034981fbfa71b6":[2,97501,162501],"fbae27432718000000047fa3cb7da0a8":[2,97501,162501],"fbae27432718000000052c80c771e46a":[2,97501,162501],"fbae2743271800000006d526b3fb02f2":[2,97501,162501]}

  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[9,92501,192501,"gone"],"fbae2743271800000002de820479c4a8":[9,92501,192501,"gone"],"fbae27432718000000034981fbfa71b6":[9,92501,192501,"gone"],"fbae27432718000000047fa3cb7da0a8":[9,92501,192501,"gone"],"fbae27432718000000052c80c771e46a":[8,92501,192501,"gone"],"fbae2743271800000006d526b3fb02f2":[8,92501,192501,"gone"]}
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000007ff39ce7d3478":[9,92501,192501,"gone"],"fbae274327180000000a1ae5e4a46c97":[8,92501,192501,"gone"],"fbae274327180000000b77a2035ba595":[8,92501,192501,"gone"],"fbae274327180000000c64dfe452be0f":[8,92501,192501,"gone"]}

198.500 s, 3 done (3 decided, last at 198.500 s), 2 lists, 10 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[10,92501,197501,"gone"],"fbae2743271800000002de820479c4a8":[10,92501,197501,"gone"],"fbae27432718000000034981fbfa71b6":[10,92501,197501,"gone"],"fbae27432718000000047fa3cb7da0a8":[10,92501,197501,"gone"],"fbae27432718000000052c80c771e46a":[9,92501,197501,"gone"],"fbae2743271800000006d526b3fb02f2":[9,92501,197501,"gone"]}
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000007ff39ce7d3478":[10,92501,197501,"gone"],"fbae274327180000000a1ae5e4a46c97":[9,92501,197501,"gone"],"fbae274327180000000b77a2035ba595":[9,92501,197501,"gone"],"fbae274327180000000c64dfe452be0f":[9,92501,197501,"gone"]}

203.500 s, 2 done (2 decided, last at 203.500 s), 2 lists, 10 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[11,92501,202501,"gone"],"fbae2743271800000002de820479c4a8":[11,92501,202501,"gone"],"fbae27432718000000034981fbfa71b6":[11,92501,202501,"gone"],"fbae27432718000000047fa3cb7da0a8":[11,92501,202501,"gone"],"fbae27432718000000052c80c771e46a":[10,92501,202501,"gone"],"fbae2743271800000006d526b3fb02f2":[10,92501,202501,"gone"]}
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000007ff39ce7d3478":[11,92501,202501,"gone"],"fbae274327180000000a1ae5e4a46c97":[10,92501,202501,"gone"],"fbae274327180000000b77a2035ba595":[10,92501,202501,"gone"],"fbae274327180000000c64dfe452be0f":[10,92501,202501,"gone"]}

208.500 s, 2 done (2 decided, last at 208.500 s), 2 lists, 10 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[12,92501,207501,"gone"],"fbae2743271800000002de820479c4a8":[12,92501,207501,"gone"],"fbae27432718000000034981fbfa71b6":[12,92501,207501,"gone"],"fbae27432718000000047fa3cb7da0a8":[12,92501,207501,"gone"],"fbae27432718000000052c80c771e46a":[11,92501,207501,"gone"],"fbae2743271800000006d526b3fb02f2":[11,92501,207501,"gone"]}
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000007ff39ce7d3478":[12,92501,207501,"gone"],"fbae274327180000000a1ae5e4a46c97":[11,92501,207501,"gone"],"fbae274327180000000b77a2035ba595":[11,92501,207501,"gone"],"fbae274327180000000c64dfe452be0f":[11,92501,207501,"gone"]}

213.500 s, 2 done (2 decided, last at 213.500 s), 2 lists, 10 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[13,92501,212501,"gone"],"fbae2743271800000002de820479c4a8":[13,92501,212501,"gone"],"fbae27432718000000034981fbfa71b6":[13,92501,212501,"gone"],"fbae27432718000000047fa3cb7da0a8":[13,92501,212501,"gone"],"fbae27432718000000052c80c771e46a":[12,92501,212501,"gone"],"fbae2743271800000006d526b3fb02f2":[12,92501,212501,"gone"]}
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000007ff39ce7d3478":[13,92501,212501,"gone"],"fbae274327180000000a1ae5e4a46c97":[12,92501,212501,"gone"],"fbae274327180000000b77a2035ba595":[12,92501,212501,"gone"],"fbae274327180000000c64dfe452be0f":[12,92501,212501,"gone"]}

218.500 s, 2 done (2 decided, last at 218.500 s), 2 lists, 10 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[14,92501,217501,"gone"],"fbae2743271800000002de820479c4a8":[14,92501,217501,"gone"],"fbae27432718000000034981fbfa71b6":[14,92501,217501,"gone"],"fbae27432718000000047fa3cb7da0a8":[14,92501,217501,"gone"],"fbae27432718000000052c80c771e46a":[13,92501,217501,"gone"],"fbae2743271800000006d526b3fb02f2":[13,92501,217501,"gone"]}
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000007ff39ce7d3478":[14,92501,217501,"gone"],"fbae274327180000000a1ae5e4a46c97":[13,92501,217501,"gone"],"fbae274327180000000b77a2035ba595":[13,92501,217501,"gone"],"fbae274327180000000c64dfe452be0f":[13,92501,217501,"gone"]}

223.500 s, 1 done (1 decided, last at 218.500 s), 2 lists, 10 other calls, 0 probes
  ~ /default/Control/ID/web/status
    absent: {"fbae2743271800000007ff39ce7d3478":[3,97501,222501],"fbae274327180000000a1ae5e4a46c97":[3,62501,192501],"fbae274327180000000b77a2035ba595":[3,62501,192501],"fbae274327180000000c64dfe452be0f":[3,62501,192501]}
  ~ /default/Control/ID/db/status
    absent: {"fbae27432718000000014bd8c442c5f8":[3,62501,192501],"fbae2743271800000002de820479c4a8":[3,97501,222501],"fbae27432718000000034981fbfa71b6":[3,97501,222501],"fbae27432718000000047fa3cb7da0a8":[3,97501,222501],"fbae27432718000000052c80c771e46a":[3,97501,222501],"fbae2743271800000006d526b3fb02f2":[3,97501,222501]}

  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[15,92501,222501,"gone"],"fbae2743271800000002de820479c4a8":[15,92501,222501,"gone"],"fbae27432718000000034981fbfa71b6":[15,92501,222501,"gone"],"fbae27432718000000047fa3cb7da0a8":[15,92501,222501,"gone"],"fbae27432718000000052c80c771e46a":[14,92501,222501,"gone"],"fbae2743271800000006d526b3fb02f2":[14,92501,222501,"gone"]}
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000007ff39ce7d3478":[15,92501,222501,"gone"],"fbae274327180000000a1ae5e4a46c97":[14,92501,222501,"gone"],"fbae274327180000000b77a2035ba595":[14,92501,222501,"gone"],"fbae274327180000000c64dfe452be0f":[14,92501,222501,"gone"]}

228.500 s, 3 done (3 decided, last at 228.500 s), 2 lists, 10 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[16,92501,227501,"gone"],"fbae2743271800000002de820479c4a8":[16,92501,227501,"gone"],"fbae27432718000000034981fbfa71b6":[16,92501,227501,"gone"],"fbae27432718000000047fa3cb7da0a8":[16,92501,227501,"gone"],"fbae27432718000000052c80c771e46a":[15,92501,227501,"gone"],"fbae2743271800000006d526b3fb02f2":[15,92501,227501,"gone"]}
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000007ff39ce7d3478":[16,92501,227501,"gone"],"fbae274327180000000a1ae5e4a46c97":[15,92501,227501,"gone"],"fbae274327180000000b77a2035ba595":[15,92501,227501,"gone"],"fbae274327180000000c64dfe452be0f":[15,92501,227501,"gone"]}

233.500 s, 2 done (2 decided, last at 233.500 s), 2 lists, 10 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[17,92501,232501,"gone"],"fbae2743271800000002de820479c4a8":[17,92501,232501,"gone"],"fbae27432718000000034981fbfa71b6":[17,92501,232501,"gone"],"fbae27432718000000047fa3cb7da0a8":[17,92501,232501,"gone"],"fbae27432718000000052c80c771e46a":[16,92501,232501,"gone"],"fbae2743271800000006d526b3fb02f2":[16,92501,232501,"gone"]}
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000007ff39ce7d3478":[17,92501,232501,"gone"],"fbae274327180000000a1ae5e4a46c97":[16,92501,232501,"gone"],"fbae274327180000000b77a2035ba595":[16,92501,232501,"gone"],"fbae274327180000000c64dfe452be0f":[16,92501,232501,"gone"]}

238.500 s, 2 done (2 decided, last at 238.500 s), 2 lists, 10 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[18,92501,237501,"gone"],"fbae2743271800000002de820479c4a8":[18,92501,237501,"gone"],"fbae27432718000000034981fbfa71b6":[18,92501,237501,"gone"],"fbae27432718000000047fa3cb7da0a8":[18,92501,237501,"gone"],"fbae27432718000000052c80c771e46a":[17,92501,237501,"gone"],"fbae2743271800000006d526b3fb02f2":[17,92501,237501,"gone"]}
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000007ff39ce7d3478":[18,92501,237501,"gone"],"fbae274327180000000a1ae5e4a46c97":[17,92501,237501,"gone"],"fbae274327180000000b77a2035ba595":[17,92501,237501,"gone"],"fbae274327180000000c64dfe452be0f":[17,92501,237501,"gone"]}

243.500 s, 1 done (1 decided, last at 238.500 s), 2 lists, 6 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    condemned: 242501
    pass: 9
    reason: "lost"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae274327180000000a1ae5e4a46c97/status
    condemned: 242501
    pass: 9
    reason: "lost"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae274327180000000b77a2035ba595/status
    condemned: 242501
    pass: 9
    reason: "lost"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae274327180000000c64dfe452be0f/status
    condemned: 242501
    pass: 9
    reason: "lost"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":4,"outdated":0,"ready":8,"unhealthy":0,"unreachable":0,"wanted":12}

  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[18,92501,237501,"gone"],"fbae2743271800000002de820479c4a8":[19,92501,242501,"gone"],"fbae27432718000000034981fbfa71b6":[19,92501,242501,"gone"],"fbae27432718000000047fa3cb7da0a8":[19,92501,242501,"gone"],"fbae27432718000000052c80c771e46a":[18,92501,242501,"gone"],"fbae2743271800000006d526b3fb02f2":[18,92501,242501,"gone"]}
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000007ff39ce7d3478":[19,92501,242501,"gone"],"fbae274327180000000a1ae5e4a46c97":[17,92501,237501,"gone"],"fbae274327180000000b77a2035ba595":[17,92501,237501,"gone"],"fbae274327180000000c64dfe452be0f":[17,92501,237501,"gone"]}

  ~ /default/Resource/ID/fbae274327180000000c64dfe452be0f/status
    answered: true
  ~ /default/Resource/ID/fbae274327180000000b77a2035ba595/status
    answered: true
  ~ /default/Resource/ID/fbae274327180000000a1ae5e4a46c97/status
    answered: true
  ~ /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[16,1,242501]}
  + /default/Resource/ID/fbae274327180000000d3fdb453fbdc8/status
    created: 242501
    generation: "58c2d4f2b51c301b"
    group: "db"
    made: 1760000243500
    pass: 10
    reason: "free_slot"
    slot: 0
    state: "create"
  + /default/Resource/ID/fbae274327180000000e5e55924d1ea5/status
    created: 242501
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000243500
    pass: 10
    reason: "free_slot"
    slot: 3
    state: "create"
  + /default/Resource/ID/fbae274327180000000fbebacb832b0a/status
    created: 242501
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000243500
    pass: 10
    reason: "free_slot"
    slot: 4
    state: "create"
  + /default/Resource/ID/fbae27432718000000104655a5d889ab/status
    created: 242501
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000243500
    pass: 10
    reason: "free_slot"
    slot: 5
    state: "create"
  - /default/Resource/ID/fbae27432718000000014bd8c442c5f8/status
  - /default/Resource/ID/fbae274327180000000a1ae5e4a46c97/status
  - /default/Resource/ID/fbae274327180000000b77a2035ba595/status
  - /default/Resource/ID/fbae274327180000000c64dfe452be0f/status
  ~ /default/Cluster/ID/status
    machines: {"creating":4,"failed":0,"leaving":0,"outdated":0,"ready":8,"unhealthy":0,"unreachable":0,"wanted":12}

  ~ /default/Resource/ID/fbae27432718000000104655a5d889ab/status
    answered: true
    id: "sim-16"
  ~ /default/Resource/ID/fbae274327180000000fbebacb832b0a/status
    answered: true
    id: "sim-15"
  ~ /default/Resource/ID/fbae274327180000000e5e55924d1ea5/status
    answered: true
    id: "sim-14"
  ~ /default/Resource/ID/fbae274327180000000d3fdb453fbdc8/status
    answered: true
    id: "sim-13"

245.500 s, 6 done (6 decided, last at 245.000 s), 6 lists, 8 other calls, 0 probes
  ~ /default/Resource/ID/fbae27432718000000104655a5d889ab/status
    active: 244501
    pass: 11
    state: "active"
  ~ /default/Resource/ID/fbae274327180000000fbebacb832b0a/status
    active: 244501
    pass: 11
    state: "active"
  ~ /default/Resource/ID/fbae274327180000000e5e55924d1ea5/status
    active: 244501
    pass: 11
    state: "active"
  ~ /default/Resource/ID/fbae274327180000000d3fdb453fbdc8/status
    active: 244501
    pass: 11
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":12,"unhealthy":0,"unreachable":0,"wanted":12}

248.500 s, 3 done (3 decided, last at 248.500 s), 2 lists, 6 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[18,92501,237501,"gone"],"fbae2743271800000002de820479c4a8":[20,92501,247501,"gone"],"fbae27432718000000034981fbfa71b6":[20,92501,247501,"gone"],"fbae27432718000000047fa3cb7da0a8":[20,92501,247501,"gone"],"fbae27432718000000052c80c771e46a":[19,92501,247501,"gone"],"fbae2743271800000006d526b3fb02f2":[19,92501,247501,"gone"]}
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000007ff39ce7d3478":[20,92501,247501,"gone"],"fbae274327180000000a1ae5e4a46c97":[17,92501,237501,"gone"],"fbae274327180000000b77a2035ba595":[17,92501,237501,"gone"],"fbae274327180000000c64dfe452be0f":[17,92501,237501,"gone"]}

253.500 s, 2 done (2 decided, last at 253.500 s), 2 lists, 6 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[18,92501,237501,"gone"],"fbae2743271800000002de820479c4a8":[21,92501,252501,"gone"],"fbae27432718000000034981fbfa71b6":[21,92501,252501,"gone"],"fbae27432718000000047fa3cb7da0a8":[21,92501,252501,"gone"],"fbae27432718000000052c80c771e46a":[20,92501,252501,"gone"],"fbae2743271800000006d526b3fb02f2":[20,92501,252501,"gone"]}
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000007ff39ce7d3478":[21,92501,252501,"gone"],"fbae274327180000000a1ae5e4a46c97":[17,92501,237501,"gone"],"fbae274327180000000b77a2035ba595":[17,92501,237501,"gone"],"fbae274327180000000c64dfe452be0f":[17,92501,237501,"gone"]}

258.500 s, 2 done (2 decided, last at 258.500 s), 2 lists, 6 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[18,92501,237501,"gone"],"fbae2743271800000002de820479c4a8":[22,92501,257501,"gone"],"fbae27432718000000034981fbfa71b6":[22,92501,257501,"gone"],"fbae27432718000000047fa3cb7da0a8":[22,92501,257501,"gone"],"fbae27432718000000052c80c771e46a":[21,92501,257501,"gone"],"fbae2743271800000006d526b3fb02f2":[21,92501,257501,"gone"]}
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000007ff39ce7d3478":[22,92501,257501,"gone"],"fbae274327180000000a1ae5e4a46c97":[17,92501,237501,"gone"],"fbae274327180000000b77a2035ba595":[17,92501,237501,"gone"],"fbae274327180000000c64dfe452be0f":[17,92501,237501,"gone"]}

263.500 s, 2 done (2 decided, last at 263.500 s), 2 lists, 6 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[18,92501,237501,"gone"],"fbae2743271800000002de820479c4a8":[23,92501,262501,"gone"],"fbae27432718000000034981fbfa71b6":[23,92501,262501,"gone"],"fbae27432718000000047fa3cb7da0a8":[23,92501,262501,"gone"],"fbae27432718000000052c80c771e46a":[22,92501,262501,"gone"],"fbae2743271800000006d526b3fb02f2":[22,92501,262501,"gone"]}
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000007ff39ce7d3478":[23,92501,262501,"gone"],"fbae274327180000000a1ae5e4a46c97":[17,92501,237501,"gone"],"fbae274327180000000b77a2035ba595":[17,92501,237501,"gone"],"fbae274327180000000c64dfe452be0f":[17,92501,237501,"gone"]}

268.500 s, 2 done (2 decided, last at 268.500 s), 2 lists, 6 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[18,92501,237501,"gone"],"fbae2743271800000002de820479c4a8":[24,92501,267501,"gone"],"fbae27432718000000034981fbfa71b6":[24,92501,267501,"gone"],"fbae27432718000000047fa3cb7da0a8":[24,92501,267501,"gone"],"fbae27432718000000052c80c771e46a":[23,92501,267501,"gone"],"fbae2743271800000006d526b3fb02f2":[23,92501,267501,"gone"]}
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000007ff39ce7d3478":[24,92501,267501,"gone"],"fbae274327180000000a1ae5e4a46c97":[17,92501,237501,"gone"],"fbae274327180000000b77a2035ba595":[17,92501,237501,"gone"],"fbae274327180000000c64dfe452be0f":[17,92501,237501,"gone"]}

273.500 s, 2 done (2 decided, last at 273.500 s), 2 lists, 6 other calls, 0 probes
  ~ /default/Control/ID/db/status
    lookups: {"fbae27432718000000014bd8c442c5f8":[18,92501,237501,"gone"],"fbae2743271800000002de820479c4a8":[25,92501,272501,"gone"],"fbae27432718000000034981fbfa71b6":[25,92501,272501,"gone"],"fbae27432718000000047fa3cb7da0a8":[25,92501,272501,"gone"],"fbae27432718000000052c80c771e46a":[24,92501,272501,"gone"],"fbae2743271800000006d526b3fb02f2":[24,92501,272501,"gone"]}
  ~ /default/Control/ID/web/status
    lookups: {"fbae2743271800000007ff39ce7d3478":[25,92501,272501,"gone"],"fbae274327180000000a1ae5e4a46c97":[17,92501,237501,"gone"],"fbae274327180000000b77a2035ba595":[17,92501,237501,"gone"],"fbae274327180000000c64dfe452be0f":[17,92501,237501,"gone"]}

278.500 s, 1 done (1 decided, last at 273.500 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    condemned: 277501
    pass: 12
    reason: "lost"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    condemned: 277501
    pass: 12
    reason: "lost"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    condemned: 277501
    pass: 12
    reason: "lost"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    condemned: 277501
    pass: 12
    reason: "lost"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    condemned: 277501
    pass: 12
    reason: "lost"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    condemned: 277501
    pass: 12
    reason: "lost"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":6,"outdated":0,"ready":6,"unhealthy":0,"unreachable":0,"wanted":12}

  ~ /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
    answered: true
  ~ /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
    answered: true
  ~ /default/Resource/ID/fbae27432718000000052c80c771e46a/status
    answered: true
  ~ /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
    answered: true
  ~ /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    answered: true
  ~ /default/Resource/ID/fbae2743271800000002de820479c4a8/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[22,1,277501]}
  + /default/Resource/ID/fbae2743271800000011e80268787167/status
    created: 277501
    generation: "58c2d4f2b51c301b"
    group: "db"
    made: 1760000278500
    pass: 13
    reason: "free_slot"
    slot: 1
    state: "create"
  + /default/Resource/ID/fbae27432718000000128e74896e71d8/status
    created: 277501
    generation: "58c2d4f2b51c301b"
    group: "db"
    made: 1760000278500
    pass: 13
    reason: "free_slot"
    slot: 2
    state: "create"
  + /default/Resource/ID/fbae274327180000001378159d231454/status
    created: 277501
    generation: "58c2d4f2b51c301b"
    group: "db"
    made: 1760000278500
    pass: 13
    reason: "free_slot"
    slot: 3
    state: "create"
  + /default/Resource/ID/fbae27432718000000140ec67334d016/status
    created: 277501
    generation: "58c2d4f2b51c301b"
    group: "db"
    made: 1760000278500
    pass: 13
    reason: "free_slot"
    slot: 4
    state: "create"
  + /default/Resource/ID/fbae2743271800000015cfe8a90894fb/status
    created: 277501
    generation: "58c2d4f2b51c301b"
    group: "db"
    made: 1760000278500
    pass: 13
    reason: "free_slot"
    slot: 5
    state: "create"
  + /default/Resource/ID/fbae2743271800000016b679876c773e/status
    created: 277501
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000278500
    pass: 13
    reason: "free_slot"
    slot: 0
    state: "create"
  - /default/Resource/ID/fbae2743271800000002de820479c4a8/status
  - /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
  - /default/Resource/ID/fbae27432718000000047fa3cb7da0a8/status
  - /default/Resource/ID/fbae27432718000000052c80c771e46a/status
  - /default/Resource/ID/fbae2743271800000006d526b3fb02f2/status
  - /default/Resource/ID/fbae2743271800000007ff39ce7d3478/status
  ~ /default/Cluster/ID/status
    machines: {"creating":6,"failed":0,"leaving":0,"outdated":0,"ready":6,"unhealthy":0,"unreachable":0,"wanted":12}

  ~ /default/Resource/ID/fbae2743271800000016b679876c773e/status
    answered: true
    id: "sim-22"
  ~ /default/Resource/ID/fbae2743271800000015cfe8a90894fb/status
    answered: true
    id: "sim-21"
  ~ /default/Resource/ID/fbae27432718000000140ec67334d016/status
    answered: true
    id: "sim-20"
  ~ /default/Resource/ID/fbae274327180000001378159d231454/status
    answered: true
    id: "sim-19"
  ~ /default/Resource/ID/fbae27432718000000128e74896e71d8/status
    answered: true
    id: "sim-18"
  ~ /default/Resource/ID/fbae2743271800000011e80268787167/status
    answered: true
    id: "sim-17"

280.500 s, 2 done, 4 quiet (6 decided, last at 280.000 s), 6 lists, 12 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000016b679876c773e/status
    active: 279501
    pass: 14
    state: "active"
  ~ /default/Resource/ID/fbae2743271800000015cfe8a90894fb/status
    active: 279501
    pass: 14
    state: "active"
  ~ /default/Resource/ID/fbae27432718000000140ec67334d016/status
    active: 279501
    pass: 14
    state: "active"
  ~ /default/Resource/ID/fbae274327180000001378159d231454/status
    active: 279501
    pass: 14
    state: "active"
  ~ /default/Resource/ID/fbae27432718000000128e74896e71d8/status
    active: 279501
    pass: 14
    state: "active"
  ~ /default/Resource/ID/fbae2743271800000011e80268787167/status
    active: 279501
    pass: 14
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":12,"unhealthy":0,"unreachable":0,"wanted":12}

394.000 s, 1 done, 4 quiet (2 decided, last at 371.000 s), 4 lists, 0 other calls, 0 probes
=== another manager
  ~ /default/Lease/ID/status
    session: "life-2"

=== the end
1594.000 s, 40 quiet (2 decided, last at 1564.000 s), 41 lists, 0 other calls, 0 probes
=== machines
sim-1 db/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 61000 stopped 0 reboots 0 at 0 ''
sim-10 web/3 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 61000 stopped 0 reboots 0 at 0 ''
sim-11 web/4 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 61000 stopped 0 reboots 0 at 0 ''
sim-12 web/5 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 61000 stopped 0 reboots 0 at 0 ''
sim-13 db/0 {"resourcePlugin":"sim"} zone '' labels  made 243500 ended 0 stopped 0 reboots 0 at 0 ''
sim-14 web/3 {"resourcePlugin":"sim"} zone '' labels  made 243500 ended 0 stopped 0 reboots 0 at 0 ''
sim-15 web/4 {"resourcePlugin":"sim"} zone '' labels  made 243500 ended 0 stopped 0 reboots 0 at 0 ''
sim-16 web/5 {"resourcePlugin":"sim"} zone '' labels  made 243500 ended 0 stopped 0 reboots 0 at 0 ''
sim-17 db/1 {"resourcePlugin":"sim"} zone '' labels  made 278500 ended 0 stopped 0 reboots 0 at 0 ''
sim-18 db/2 {"resourcePlugin":"sim"} zone '' labels  made 278500 ended 0 stopped 0 reboots 0 at 0 ''
sim-19 db/3 {"resourcePlugin":"sim"} zone '' labels  made 278500 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 db/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 64000 stopped 0 reboots 0 at 0 ''
sim-20 db/4 {"resourcePlugin":"sim"} zone '' labels  made 278500 ended 0 stopped 0 reboots 0 at 0 ''
sim-21 db/5 {"resourcePlugin":"sim"} zone '' labels  made 278500 ended 0 stopped 0 reboots 0 at 0 ''
sim-22 web/0 {"resourcePlugin":"sim"} zone '' labels  made 278500 ended 0 stopped 0 reboots 0 at 0 ''
sim-3 db/2 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 64000 stopped 0 reboots 0 at 0 ''
sim-4 db/3 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 64000 stopped 0 reboots 0 at 0 ''
sim-5 db/4 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 64000 stopped 0 reboots 0 at 0 ''
sim-6 db/5 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 64000 stopped 0 reboots 0 at 0 ''
sim-7 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 64000 stopped 0 reboots 0 at 0 ''
sim-8 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-9 web/2 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
=== events
cluster.created: actor "ana" groups ["db","web"] sums {"change":0,"create":12,"destroy":0,"groups":2,"nodes":12,"reboot":0,"replace":0}
machine.wanted: fact "size is 6, 0 recorded" group "db" node "db-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 6, 0 recorded" group "db" node "db-1" pass 1 rule "free_slot" slot 1
machine.wanted: fact "size is 6, 0 recorded" group "db" node "db-2" pass 1 rule "free_slot" slot 2
machine.wanted: fact "size is 6, 0 recorded" group "db" node "db-3" pass 1 rule "free_slot" slot 3
machine.wanted: fact "size is 6, 0 recorded" group "db" node "db-4" pass 1 rule "free_slot" slot 4
machine.wanted: fact "size is 6, 0 recorded" group "db" node "db-5" pass 1 rule "free_slot" slot 5
machine.wanted: fact "size is 6, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 6, 0 recorded" group "web" node "web-1" pass 1 rule "free_slot" slot 1
machine.wanted: fact "size is 6, 0 recorded" group "web" node "web-2" pass 1 rule "free_slot" slot 2
machine.wanted: fact "size is 6, 0 recorded" group "web" node "web-3" pass 1 rule "free_slot" slot 3
machine.wanted: fact "size is 6, 0 recorded" group "web" node "web-4" pass 1 rule "free_slot" slot 4
machine.wanted: fact "size is 6, 0 recorded" group "web" node "web-5" pass 1 rule "free_slot" slot 5
job.began: fact "job/1"
machine.created: group "web" id "sim-12" node "web-5" pass 1 rule "free_slot" slot 5
machine.created: group "web" id "sim-11" node "web-4" pass 1 rule "free_slot" slot 4
machine.created: group "web" id "sim-10" node "web-3" pass 1 rule "free_slot" slot 3
machine.created: group "web" id "sim-9" node "web-2" pass 1 rule "free_slot" slot 2
machine.created: group "web" id "sim-8" node "web-1" pass 1 rule "free_slot" slot 1
machine.created: group "web" id "sim-7" node "web-0" pass 1 rule "free_slot" slot 0
machine.created: group "db" id "sim-6" node "db-5" pass 1 rule "free_slot" slot 5
machine.created: group "db" id "sim-5" node "db-4" pass 1 rule "free_slot" slot 4
machine.created: group "db" id "sim-4" node "db-3" pass 1 rule "free_slot" slot 3
machine.created: group "db" id "sim-3" node "db-2" pass 1 rule "free_slot" slot 2
machine.created: group "db" id "sim-2" node "db-1" pass 1 rule "free_slot" slot 1
machine.created: group "db" id "sim-1" node "db-0" pass 1 rule "free_slot" slot 0
machine.ready: fact "sim-1 runs" group "db" id "sim-1" node "db-0" pass 2 rule "activate" slot 0
machine.ready: fact "sim-2 runs" group "db" id "sim-2" node "db-1" pass 2 rule "activate" slot 1
machine.ready: fact "sim-3 runs" group "db" id "sim-3" node "db-2" pass 2 rule "activate" slot 2
machine.ready: fact "sim-4 runs" group "db" id "sim-4" node "db-3" pass 2 rule "activate" slot 3
machine.ready: fact "sim-5 runs" group "db" id "sim-5" node "db-4" pass 2 rule "activate" slot 4
machine.ready: fact "sim-6 runs" group "db" id "sim-6" node "db-5" pass 2 rule "activate" slot 5
machine.ready: fact "sim-7 runs" group "web" id "sim-7" node "web-0" pass 2 rule "activate" slot 0
machine.ready: fact "sim-8 runs" group "web" id "sim-8" node "web-1" pass 2 rule "activate" slot 1
machine.ready: fact "sim-9 runs" group "web" id "sim-9" node "web-2" pass 2 rule "activate" slot 2
machine.ready: fact "sim-10 runs" group "web" id "sim-10" node "web-3" pass 2 rule "activate" slot 3
machine.ready: fact "sim-11 runs" group "web" id "sim-11" node "web-4" pass 2 rule "activate" slot 4
machine.ready: fact "sim-12 runs" group "web" id "sim-12" node "web-5" pass 2 rule "activate" slot 5
job.done: fact "job/1"
hold.began: fact "10 of 12 machines are missing" pass 3 rule "listing_brake"
hold.began: fact "6 of 6 machines are missing" group "db" pass 3 rule "listing_brake"
hold.began: fact "4 of 6 machines are missing" group "web" pass 3 rule "listing_brake"
hold.rejected: actor "ana" rule "listing_brake"
hold.ended: group "db" pass 6 rule "listing_brake"
hold.ended: pass 7 rule "listing_brake"
hold.ended: group "web" pass 8 rule "listing_brake"
machine.condemned: fact "4 absences; 18 lookups by id did not find the machine" group "db" id "sim-1" node "db-0" pass 9 rule "lost" slot 0
machine.condemned: fact "4 absences; 17 lookups by id did not find the machine" group "web" id "sim-10" node "web-3" pass 9 rule "lost" slot 3
machine.condemned: fact "4 absences; 17 lookups by id did not find the machine" group "web" id "sim-11" node "web-4" pass 9 rule "lost" slot 4
machine.condemned: fact "4 absences; 17 lookups by id did not find the machine" group "web" id "sim-12" node "web-5" pass 9 rule "lost" slot 5
machine.destroyed: group "web" id "sim-12" node "web-5" pass 9 rule "lost" slot 5
machine.destroyed: group "web" id "sim-11" node "web-4" pass 9 rule "lost" slot 4
machine.destroyed: group "web" id "sim-10" node "web-3" pass 9 rule "lost" slot 3
machine.destroyed: group "db" id "sim-1" node "db-0" pass 9 rule "lost" slot 0
machine.wanted: fact "size is 6, 5 recorded" group "db" node "db-0" pass 10 rule "free_slot" slot 0
machine.wanted: fact "size is 6, 3 recorded" group "web" node "web-3" pass 10 rule "free_slot" slot 3
machine.wanted: fact "size is 6, 3 recorded" group "web" node "web-4" pass 10 rule "free_slot" slot 4
machine.wanted: fact "size is 6, 3 recorded" group "web" node "web-5" pass 10 rule "free_slot" slot 5
machine.gone: fact "the provider has confirmed the destruction" group "db" id "sim-1" node "db-0" pass 10 rule "forget" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-10" node "web-3" pass 10 rule "forget" slot 3
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-11" node "web-4" pass 10 rule "forget" slot 4
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-12" node "web-5" pass 10 rule "forget" slot 5
machine.created: group "web" id "sim-16" node "web-5" pass 10 rule "free_slot" slot 5
machine.created: group "web" id "sim-15" node "web-4" pass 10 rule "free_slot" slot 4
machine.created: group "web" id "sim-14" node "web-3" pass 10 rule "free_slot" slot 3
machine.created: group "db" id "sim-13" node "db-0" pass 10 rule "free_slot" slot 0
machine.ready: fact "sim-16 runs" group "web" id "sim-16" node "web-5" pass 11 rule "activate" slot 5
machine.ready: fact "sim-15 runs" group "web" id "sim-15" node "web-4" pass 11 rule "activate" slot 4
machine.ready: fact "sim-14 runs" group "web" id "sim-14" node "web-3" pass 11 rule "activate" slot 3
machine.ready: fact "sim-13 runs" group "db" id "sim-13" node "db-0" pass 11 rule "activate" slot 0
machine.condemned: fact "4 absences; 25 lookups by id did not find the machine" group "db" id "sim-2" node "db-1" pass 12 rule "lost" slot 1
machine.condemned: fact "4 absences; 25 lookups by id did not find the machine" group "db" id "sim-3" node "db-2" pass 12 rule "lost" slot 2
machine.condemned: fact "4 absences; 25 lookups by id did not find the machine" group "db" id "sim-4" node "db-3" pass 12 rule "lost" slot 3
machine.condemned: fact "4 absences; 24 lookups by id did not find the machine" group "db" id "sim-5" node "db-4" pass 12 rule "lost" slot 4
machine.condemned: fact "4 absences; 24 lookups by id did not find the machine" group "db" id "sim-6" node "db-5" pass 12 rule "lost" slot 5
machine.condemned: fact "4 absences; 25 lookups by id did not find the machine" group "web" id "sim-7" node "web-0" pass 12 rule "lost" slot 0
machine.destroyed: group "web" id "sim-7" node "web-0" pass 12 rule "lost" slot 0
machine.destroyed: group "db" id "sim-6" node "db-5" pass 12 rule "lost" slot 5
machine.destroyed: group "db" id "sim-5" node "db-4" pass 12 rule "lost" slot 4
machine.destroyed: group "db" id "sim-4" node "db-3" pass 12 rule "lost" slot 3
machine.destroyed: group "db" id "sim-3" node "db-2" pass 12 rule "lost" slot 2
machine.destroyed: group "db" id "sim-2" node "db-1" pass 12 rule "lost" slot 1
machine.wanted: fact "size is 6, 1 recorded" group "db" node "db-1" pass 13 rule "free_slot" slot 1
machine.wanted: fact "size is 6, 1 recorded" group "db" node "db-2" pass 13 rule "free_slot" slot 2
machine.wanted: fact "size is 6, 1 recorded" group "db" node "db-3" pass 13 rule "free_slot" slot 3
machine.wanted: fact "size is 6, 1 recorded" group "db" node "db-4" pass 13 rule "free_slot" slot 4
machine.wanted: fact "size is 6, 1 recorded" group "db" node "db-5" pass 13 rule "free_slot" slot 5
machine.wanted: fact "size is 6, 5 recorded" group "web" node "web-0" pass 13 rule "free_slot" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "db" id "sim-2" node "db-1" pass 13 rule "forget" slot 1
machine.gone: fact "the provider has confirmed the destruction" group "db" id "sim-3" node "db-2" pass 13 rule "forget" slot 2
machine.gone: fact "the provider has confirmed the destruction" group "db" id "sim-4" node "db-3" pass 13 rule "forget" slot 3
machine.gone: fact "the provider has confirmed the destruction" group "db" id "sim-5" node "db-4" pass 13 rule "forget" slot 4
machine.gone: fact "the provider has confirmed the destruction" group "db" id "sim-6" node "db-5" pass 13 rule "forget" slot 5
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-7" node "web-0" pass 13 rule "forget" slot 0
machine.created: group "web" id "sim-22" node "web-0" pass 13 rule "free_slot" slot 0
machine.created: group "db" id "sim-21" node "db-5" pass 13 rule "free_slot" slot 5
machine.created: group "db" id "sim-20" node "db-4" pass 13 rule "free_slot" slot 4
machine.created: group "db" id "sim-19" node "db-3" pass 13 rule "free_slot" slot 3
machine.created: group "db" id "sim-18" node "db-2" pass 13 rule "free_slot" slot 2
machine.created: group "db" id "sim-17" node "db-1" pass 13 rule "free_slot" slot 1
machine.ready: fact "sim-22 runs" group "web" id "sim-22" node "web-0" pass 14 rule "activate" slot 0
machine.ready: fact "sim-21 runs" group "db" id "sim-21" node "db-5" pass 14 rule "activate" slot 5
machine.ready: fact "sim-20 runs" group "db" id "sim-20" node "db-4" pass 14 rule "activate" slot 4
machine.ready: fact "sim-19 runs" group "db" id "sim-19" node "db-3" pass 14 rule "activate" slot 3
machine.ready: fact "sim-18 runs" group "db" id "sim-18" node "db-2" pass 14 rule "activate" slot 2
machine.ready: fact "sim-17 runs" group "db" id "sim-17" node "db-1" pass 14 rule "activate" slot 1
