301.000 s (0 decided, last at 277.833 s), 0 lists, 0 other calls, 0 probes
=== three are cut off, also those that take their place
317.161 s, 1 quiet (0 decided, last at 307.833 s), 1 lists, 0 other calls, 8 probes
  + /default/Resource/ID/fbae2743271800000024ac5f8f464113/status
    active: 2001
    address: "sim-36"
    answered: true
    cause: "no answer"
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    id: "sim-36"
    made: 1760000001000
    pass: 2
    reason: "free_slot"
    silent: 1760000307061
    slot: 1
    state: "active"
    unreachable: 306062

  + /default/Cluster/ID/status
    holds: 0
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":40,"unhealthy":0,"unreachable":1,"wanted":41}
    observed: 1

318.453 s, 1 quiet (1 decided, last at 317.161 s), 2 lists, 0 other calls, 2 probes
  + /default/Resource/ID/fbae2743271800000025dec1849b62ab/status
    active: 2001
    address: "sim-37"
    answered: true
    cause: "no answer"
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    id: "sim-37"
    made: 1760000001000
    pass: 2
    reason: "free_slot"
    silent: 1760000308353
    slot: 2
    state: "active"
    unreachable: 307354

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":39,"unhealthy":0,"unreachable":2,"wanted":41}

318.810 s, 1 quiet (1 decided, last at 318.453 s), 1 lists, 0 other calls, 1 probes
  + /default/Resource/ID/fbae2743271800000023e2cb316fc225/status
    active: 2001
    address: "sim-35"
    answered: true
    cause: "no answer"
    created: 1
    generation: "58c2d4f2b51c301b"
    group: "web"
    id: "sim-35"
    made: 1760000001000
    pass: 2
    reason: "free_slot"
    silent: 1760000308710
    slot: 0
    state: "active"
    unreachable: 307711

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":38,"unhealthy":0,"unreachable":3,"wanted":41}

367.061 s, 2 quiet (2 decided, last at 348.810 s), 3 lists, 0 other calls, 31 probes
  + /default/Control/ID/status
    series: {"fbae27432718":[41,1,1]}
    spent: [[1,366062]]
  ~ /default/Resource/ID/fbae2743271800000024ac5f8f464113/status
    condemned: 366062
    losses: 1
    pass: 3
    reason: "unhealthy"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":38,"unhealthy":0,"unreachable":2,"wanted":41}

  ~ /default/Resource/ID/fbae2743271800000024ac5f8f464113/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[42,1,366062]}
  + /default/Resource/ID/fbae274327180000002a7e5c5c2e0e06/status
    created: 366062
    generation: "58c2d4f2b51c301b"
    group: "web"
    losses: 1
    made: 1760000367061
    pass: 4
    reason: "free_slot"
    slot: 1
    state: "create"
  - /default/Resource/ID/fbae2743271800000024ac5f8f464113/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":38,"unhealthy":0,"unreachable":2,"wanted":41}

  ~ /default/Resource/ID/fbae274327180000002a7e5c5c2e0e06/status
    answered: true
    id: "sim-42"

368.353 s, 2 done, 3 quiet (5 decided, last at 368.061 s), 5 lists, 2 other calls, 1 probes
  ~ /default/Control/ID/status
    spent: [[1,366062],[1,367354]]
  ~ /default/Resource/ID/fbae2743271800000025dec1849b62ab/status
    condemned: 367354
    losses: 1
    pass: 5
    reason: "unhealthy"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":1,"outdated":0,"ready":38,"unhealthy":0,"unreachable":1,"wanted":41}

  ~ /default/Resource/ID/fbae2743271800000025dec1849b62ab/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[43,1,367354]}
  + /default/Resource/ID/fbae274327180000002bf31816b8c480/status
    created: 367354
    generation: "58c2d4f2b51c301b"
    group: "web"
    losses: 1
    made: 1760000368353
    pass: 6
    reason: "free_slot"
    slot: 2
    state: "create"
  - /default/Resource/ID/fbae2743271800000025dec1849b62ab/status
  ~ /default/Cluster/ID/status
    machines: {"creating":2,"failed":0,"leaving":0,"outdated":0,"ready":38,"unhealthy":0,"unreachable":1,"wanted":41}

  ~ /default/Resource/ID/fbae274327180000002bf31816b8c480/status
    answered: true
    id: "sim-43"

368.710 s, 2 done, 1 quiet (3 decided, last at 368.353 s), 3 lists, 2 other calls, 0 probes
  + /default/Hold/ID/budget/web/status
    cluster: "shop"
    fact: "machines that wait for the next window: 1"
    group: "web"
    pass: 7
    rule: "budget"
    since: 1760000368710
    wouldCreate: 1
    wouldDestroy: 1
  ~ /default/Cluster/ID/status
    holds: 1

369.210 s, 1 held (1 decided, last at 368.710 s), 1 lists, 0 other calls, 0 probes
  ~ /default/Resource/ID/fbae274327180000002a7e5c5c2e0e06/status
    active: 368211
    address: "sim-42"
    pass: 8
    starting: true
    state: "active"

370.710 s, 1 done, 2 held (3 decided, last at 370.210 s), 3 lists, 0 other calls, 2 probes
  ~ /default/Resource/ID/fbae274327180000002bf31816b8c480/status
    active: 369711
    address: "sim-43"
    pass: 9
    starting: true
    state: "active"

684.230 s, 1 done, 11 held (12 decided, last at 671.299 s), 11 lists, 0 other calls, 218 probes
  ~ /default/Resource/ID/fbae274327180000002a7e5c5c2e0e06/status
    cause: "no answer"
    silent: 1760000674130
    unreachable: 673131

  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":38,"unhealthy":0,"unreachable":2,"wanted":41}

686.338 s, 1 held (1 decided, last at 684.230 s), 1 lists, 0 other calls, 3 probes
  ~ /default/Resource/ID/fbae274327180000002bf31816b8c480/status
    cause: "no answer"
    silent: 1760000676238
    unreachable: 675239

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":38,"unhealthy":0,"unreachable":3,"wanted":41}

734.130 s, 2 held (2 decided, last at 716.338 s), 3 lists, 0 other calls, 30 probes
  ~ /default/Hold/ID/budget/web/status
    fact: "machines that wait for the next window: 2"
    pass: 10
    wouldCreate: 2
    wouldDestroy: 2

736.238 s, 1 held (1 decided, last at 734.130 s), 1 lists, 0 other calls, 4 probes
  ~ /default/Hold/ID/budget/web/status
    fact: "machines that wait for the next window: 3"
    pass: 11
    wouldCreate: 3
    wouldDestroy: 3

976.238 s, 8 held (8 decided, last at 946.238 s), 8 lists, 0 other calls, 164 probes
  ~ /default/Control/ID/status
    spent: [[2,975239]]
  ~ /default/Resource/ID/fbae2743271800000023e2cb316fc225/status
    condemned: 975239
    losses: 1
    pass: 12
    reason: "unhealthy"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae274327180000002a7e5c5c2e0e06/status
    condemned: 975239
    losses: 2
    pass: 12
    reason: "unhealthy"
    state: "delete"
    answered: (none)
  ~ /default/Hold/ID/budget/web/status
    fact: "machines that wait for the next window: 1"
    pass: 12
    wouldCreate: 1
    wouldDestroy: 1
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":2,"outdated":0,"ready":38,"unhealthy":0,"unreachable":1,"wanted":41}

  ~ /default/Resource/ID/fbae274327180000002a7e5c5c2e0e06/status
    answered: true
  ~ /default/Resource/ID/fbae2743271800000023e2cb316fc225/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[45,1,975239]}
  + /default/Resource/ID/fbae274327180000002c2278d8f2c134/status
    created: 975239
    generation: "58c2d4f2b51c301b"
    group: "web"
    losses: 1
    made: 1760000976238
    pass: 13
    reason: "free_slot"
    slot: 0
    state: "create"
  + /default/Resource/ID/fbae274327180000002db417e40ca417/status
    created: 975239
    generation: "58c2d4f2b51c301b"
    group: "web"
    losses: 2
    made: 1760000976238
    pass: 13
    reason: "free_slot"
    slot: 1
    state: "create"
  - /default/Resource/ID/fbae2743271800000023e2cb316fc225/status
  - /default/Resource/ID/fbae274327180000002a7e5c5c2e0e06/status
  ~ /default/Cluster/ID/status
    machines: {"creating":2,"failed":0,"leaving":0,"outdated":0,"ready":38,"unhealthy":0,"unreachable":1,"wanted":41}

  ~ /default/Resource/ID/fbae274327180000002db417e40ca417/status
    answered: true
    id: "sim-45"
  ~ /default/Resource/ID/fbae274327180000002c2278d8f2c134/status
    answered: true
    id: "sim-44"

978.238 s, 2 done, 4 held (6 decided, last at 977.738 s), 6 lists, 4 other calls, 3 probes
  ~ /default/Resource/ID/fbae274327180000002db417e40ca417/status
    active: 977239
    address: "sim-45"
    pass: 14
    starting: true
    state: "active"
  ~ /default/Resource/ID/fbae274327180000002c2278d8f2c134/status
    active: 977239
    address: "sim-44"
    pass: 14
    starting: true
    state: "active"

1292.816 s, 1 done, 11 held (12 decided, last at 1278.738 s), 11 lists, 0 other calls, 219 probes
  ~ /default/Resource/ID/fbae274327180000002c2278d8f2c134/status
    cause: "no answer"
    silent: 1760001282716
    unreachable: 1281717

  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":38,"unhealthy":0,"unreachable":2,"wanted":41}

1293.866 s, 1 held (1 decided, last at 1292.816 s), 1 lists, 0 other calls, 1 probes
  ~ /default/Resource/ID/fbae274327180000002db417e40ca417/status
    cause: "no answer"
    silent: 1760001283766
    unreachable: 1282767

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":38,"unhealthy":0,"unreachable":3,"wanted":41}

1342.716 s, 2 held (2 decided, last at 1323.866 s), 3 lists, 0 other calls, 32 probes
  ~ /default/Hold/ID/budget/web/status
    fact: "machines that wait for the next window: 2"
    pass: 15
    wouldCreate: 2
    wouldDestroy: 2

1343.766 s, 1 held (1 decided, last at 1342.716 s), 1 lists, 0 other calls, 2 probes
  ~ /default/Hold/ID/budget/web/status
    fact: "machines that wait for the next window: 3"
    pass: 16
    wouldCreate: 3
    wouldDestroy: 3

1583.766 s, 8 held (8 decided, last at 1553.766 s), 8 lists, 0 other calls, 166 probes
  ~ /default/Control/ID/status
    spent: [[2,1582767]]
  ~ /default/Resource/ID/fbae274327180000002db417e40ca417/status
    condemned: 1582767
    losses: 3
    pass: 17
    reason: "unhealthy"
    state: "delete"
    answered: (none)
  ~ /default/Resource/ID/fbae274327180000002c2278d8f2c134/status
    condemned: 1582767
    losses: 2
    pass: 17
    reason: "unhealthy"
    state: "delete"
    answered: (none)
  ~ /default/Hold/ID/budget/web/status
    fact: "machines that wait for the next window: 1"
    pass: 17
    wouldCreate: 1
    wouldDestroy: 1
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":2,"outdated":0,"ready":38,"unhealthy":0,"unreachable":1,"wanted":41}

  ~ /default/Resource/ID/fbae274327180000002c2278d8f2c134/status
    answered: true
  ~ /default/Resource/ID/fbae274327180000002db417e40ca417/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[47,1,1582767]}
  + /default/Resource/ID/fbae274327180000002e99805d6a6e2f/status
    created: 1582767
    generation: "58c2d4f2b51c301b"
    group: "web"
    losses: 2
    made: 1760001583766
    pass: 18
    reason: "free_slot"
    slot: 0
    state: "create"
  + /default/Resource/ID/fbae274327180000002fe87a0bee7fd5/status
    created: 1582767
    generation: "58c2d4f2b51c301b"
    group: "web"
    losses: 3
    made: 1760001583766
    pass: 18
    reason: "free_slot"
    slot: 1
    state: "create"
  - /default/Resource/ID/fbae274327180000002db417e40ca417/status
  - /default/Resource/ID/fbae274327180000002c2278d8f2c134/status
  ~ /default/Cluster/ID/status
    machines: {"creating":2,"failed":0,"leaving":0,"outdated":0,"ready":38,"unhealthy":0,"unreachable":1,"wanted":41}

  ~ /default/Resource/ID/fbae274327180000002fe87a0bee7fd5/status
    answered: true
    id: "sim-47"
  ~ /default/Resource/ID/fbae274327180000002e99805d6a6e2f/status
    answered: true
    id: "sim-46"

1585.766 s, 2 done, 4 held (6 decided, last at 1585.266 s), 6 lists, 4 other calls, 1 probes
  ~ /default/Resource/ID/fbae274327180000002fe87a0bee7fd5/status
    active: 1584767
    address: "sim-47"
    pass: 19
    starting: true
    state: "active"
  ~ /default/Resource/ID/fbae274327180000002e99805d6a6e2f/status
    active: 1584767
    address: "sim-46"
    pass: 19
    starting: true
    state: "active"

1801.000 s, 1 done, 8 held (9 decided, last at 1796.266 s), 8 lists, 0 other calls, 148 probes
=== they answer again
1802.944 s (0 decided, last at 1796.266 s), 0 lists, 0 other calls, 2 probes
  ~ /default/Resource/ID/fbae274327180000002fe87a0bee7fd5/status
    cause: "open"
    starting: (none)

  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":39,"unhealthy":0,"unreachable":1,"wanted":41}

1810.429 s, 1 held (1 decided, last at 1802.944 s), 1 lists, 0 other calls, 5 probes
  ~ /default/Resource/ID/fbae274327180000002e99805d6a6e2f/status
    cause: "open"
    starting: (none)

  + /default/Hold/ID/unreachable/web/status
    cluster: "shop"
    fact: "1 machine"
    group: "web"
    pass: 20
    rule: "unreachable"
    since: 1760001810429
    wouldCreate: 0
    wouldDestroy: 0
  - /default/Hold/ID/budget/web/status
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":40,"unhealthy":0,"unreachable":1,"wanted":41}

1817.538 s, 1 held (1 decided, last at 1810.429 s), 1 lists, 0 other calls, 6 probes
  ~ /default/Resource/ID/fbae274327180000002bf31816b8c480/status
    cause: "open"
    silent: (none)
    starting: (none)
    unreachable: (none)

  - /default/Hold/ID/unreachable/web/status
  ~ /default/Cluster/ID/status
    holds: 0
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":41,"unhealthy":0,"unreachable":0,"wanted":41}

3601.000 s, 60 quiet (4 decided, last at 3587.538 s), 62 lists, 0 other calls, 1235 probes
=== one is cut off
3618.138 s, 1 quiet (0 decided, last at 3617.538 s), 1 lists, 0 other calls, 12 probes
  ~ /default/Resource/ID/fbae274327180000002e99805d6a6e2f/status
    cause: "no answer"
    silent: 1760003608038
    unreachable: 3607039

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":40,"unhealthy":0,"unreachable":1,"wanted":41}

3668.038 s, 2 quiet (2 decided, last at 3648.138 s), 4 lists, 0 other calls, 34 probes
  ~ /default/Control/ID/status
    spent: [[1,3667039]]
  ~ /default/Resource/ID/fbae274327180000002e99805d6a6e2f/status
    condemned: 3667039
    losses: 3
    pass: 22
    reason: "unhealthy"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":40,"unhealthy":0,"unreachable":0,"wanted":41}

  ~ /default/Resource/ID/fbae274327180000002e99805d6a6e2f/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[48,1,3667039]}
  + /default/Resource/ID/fbae2743271800000030086d3333fe96/status
    created: 3667039
    generation: "58c2d4f2b51c301b"
    group: "web"
    losses: 3
    made: 1760003668038
    pass: 23
    reason: "free_slot"
    slot: 0
    state: "create"
  - /default/Resource/ID/fbae274327180000002e99805d6a6e2f/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":40,"unhealthy":0,"unreachable":0,"wanted":41}

  ~ /default/Resource/ID/fbae2743271800000030086d3333fe96/status
    answered: true
    id: "sim-48"

3670.038 s, 2 done, 4 quiet (6 decided, last at 3669.538 s), 6 lists, 2 other calls, 0 probes
  ~ /default/Resource/ID/fbae2743271800000030086d3333fe96/status
    active: 3669039
    address: "sim-48"
    pass: 24
    starting: true
    state: "active"

3987.816 s, 1 done, 11 quiet (2 decided, last at 3970.538 s), 11 lists, 0 other calls, 223 probes
  ~ /default/Resource/ID/fbae2743271800000030086d3333fe96/status
    cause: "no answer"
    silent: 1760003977716
    unreachable: 3976717

  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":40,"unhealthy":0,"unreachable":1,"wanted":41}

4037.716 s, 2 quiet (2 decided, last at 4017.816 s), 4 lists, 0 other calls, 34 probes
  ~ /default/Control/ID/status
    spent: [[1,3667039],[1,4036717]]
  ~ /default/Resource/ID/fbae2743271800000030086d3333fe96/status
    condemned: 4036717
    losses: 4
    pass: 25
    reason: "unhealthy"
    state: "delete"
    answered: (none)
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":1,"outdated":0,"ready":40,"unhealthy":0,"unreachable":0,"wanted":41}

  ~ /default/Resource/ID/fbae2743271800000030086d3333fe96/status
    answered: true

  ~ /default/Control/ID/status
    series: {"fbae27432718":[49,1,4036717]}
  + /default/Resource/ID/fbae2743271800000031f0f858ba2718/status
    created: 4036717
    generation: "58c2d4f2b51c301b"
    group: "web"
    losses: 4
    made: 1760004037716
    pass: 26
    reason: "free_slot"
    slot: 0
    state: "create"
  - /default/Resource/ID/fbae2743271800000030086d3333fe96/status
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":40,"unhealthy":0,"unreachable":0,"wanted":41}

  ~ /default/Resource/ID/fbae2743271800000031f0f858ba2718/status
    answered: true
    id: "sim-49"

4039.716 s, 2 done, 4 quiet (6 decided, last at 4039.216 s), 6 lists, 2 other calls, 1 probes
  ~ /default/Resource/ID/fbae2743271800000031f0f858ba2718/status
    active: 4038717
    address: "sim-49"
    pass: 27
    starting: true
    state: "active"

=== the end
4201.000 s, 1 done, 6 quiet (2 decided, last at 4190.216 s), 6 lists, 0 other calls, 111 probes
=== machines
sim-1 db/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-10 db/9 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-11 db/10 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-12 db/11 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-13 db/12 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-14 db/13 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-15 db/14 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-16 db/15 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-17 db/16 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-18 db/17 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-19 db/18 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 db/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-20 db/19 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-21 db/20 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-22 db/21 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-23 db/22 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-24 db/23 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-25 db/24 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-26 db/25 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-27 db/26 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-28 db/27 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-29 db/28 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-3 db/2 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-30 db/29 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-31 db/30 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-32 db/31 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-33 db/32 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-34 db/33 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-35 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 976238 stopped 0 reboots 0 at 0 'unhealthy'
sim-36 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 367061 stopped 0 reboots 0 at 0 'unhealthy'
sim-37 web/2 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 368353 stopped 0 reboots 0 at 0 'unhealthy'
sim-38 web/3 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-39 web/4 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-4 db/3 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-40 web/5 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-41 web/6 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-42 web/1 {"resourcePlugin":"sim"} zone '' labels  made 367061 ended 976238 stopped 0 reboots 0 at 0 'unhealthy'
sim-43 web/2 {"resourcePlugin":"sim"} zone '' labels  made 368353 ended 0 stopped 0 reboots 0 at 0 ''
sim-44 web/0 {"resourcePlugin":"sim"} zone '' labels  made 976238 ended 1583766 stopped 0 reboots 0 at 0 'unhealthy'
sim-45 web/1 {"resourcePlugin":"sim"} zone '' labels  made 976238 ended 1583766 stopped 0 reboots 0 at 0 'unhealthy'
sim-46 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1583766 ended 3668038 stopped 0 reboots 0 at 0 'unhealthy'
sim-47 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1583766 ended 0 stopped 0 reboots 0 at 0 ''
sim-48 web/0 {"resourcePlugin":"sim"} zone '' labels  made 3668038 ended 4037716 stopped 0 reboots 0 at 0 'unhealthy'
sim-49 web/0 {"resourcePlugin":"sim"} zone '' labels  made 4037716 ended 0 stopped 0 reboots 0 at 0 ''
sim-5 db/4 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-6 db/5 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-7 db/6 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-8 db/7 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-9 db/8 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
last probe: web-6 at sim-41 port 80, 0 words, within 500 ms
=== events
cluster.created: actor "ana" groups ["db","web"] sums {"change":0,"create":41,"destroy":0,"groups":2,"nodes":41,"reboot":0,"replace":0}
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-1" pass 1 rule "free_slot" slot 1
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-2" pass 1 rule "free_slot" slot 2
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-3" pass 1 rule "free_slot" slot 3
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-4" pass 1 rule "free_slot" slot 4
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-5" pass 1 rule "free_slot" slot 5
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-6" pass 1 rule "free_slot" slot 6
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-7" pass 1 rule "free_slot" slot 7
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-8" pass 1 rule "free_slot" slot 8
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-9" pass 1 rule "free_slot" slot 9
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-10" pass 1 rule "free_slot" slot 10
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-11" pass 1 rule "free_slot" slot 11
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-12" pass 1 rule "free_slot" slot 12
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-13" pass 1 rule "free_slot" slot 13
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-14" pass 1 rule "free_slot" slot 14
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-15" pass 1 rule "free_slot" slot 15
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-16" pass 1 rule "free_slot" slot 16
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-17" pass 1 rule "free_slot" slot 17
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-18" pass 1 rule "free_slot" slot 18
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-19" pass 1 rule "free_slot" slot 19
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-20" pass 1 rule "free_slot" slot 20
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-21" pass 1 rule "free_slot" slot 21
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-22" pass 1 rule "free_slot" slot 22
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-23" pass 1 rule "free_slot" slot 23
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-24" pass 1 rule "free_slot" slot 24
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-25" pass 1 rule "free_slot" slot 25
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-26" pass 1 rule "free_slot" slot 26
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-27" pass 1 rule "free_slot" slot 27
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-28" pass 1 rule "free_slot" slot 28
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-29" pass 1 rule "free_slot" slot 29
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-30" pass 1 rule "free_slot" slot 30
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-31" pass 1 rule "free_slot" slot 31
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-32" pass 1 rule "free_slot" slot 32
machine.wanted: fact "size is 34, 0 recorded" group "db" node "db-33" pass 1 rule "free_slot" slot 33
machine.wanted: fact "size is 7, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
machine.wanted: fact "size is 7, 0 recorded" group "web" node "web-1" pass 1 rule "free_slot" slot 1
machine.wanted: fact "size is 7, 0 recorded" group "web" node "web-2" pass 1 rule "free_slot" slot 2
machine.wanted: fact "size is 7, 0 recorded" group "web" node "web-3" pass 1 rule "free_slot" slot 3
machine.wanted: fact "size is 7, 0 recorded" group "web" node "web-4" pass 1 rule "free_slot" slot 4
machine.wanted: fact "size is 7, 0 recorded" group "web" node "web-5" pass 1 rule "free_slot" slot 5
machine.wanted: fact "size is 7, 0 recorded" group "web" node "web-6" pass 1 rule "free_slot" slot 6
job.began: fact "job/1"
machine.created: group "web" id "sim-41" node "web-6" pass 1 rule "free_slot" slot 6
machine.created: group "web" id "sim-40" node "web-5" pass 1 rule "free_slot" slot 5
machine.created: group "web" id "sim-39" node "web-4" pass 1 rule "free_slot" slot 4
machine.created: group "web" id "sim-38" node "web-3" pass 1 rule "free_slot" slot 3
machine.created: group "web" id "sim-37" node "web-2" pass 1 rule "free_slot" slot 2
machine.created: group "web" id "sim-36" node "web-1" pass 1 rule "free_slot" slot 1
machine.created: group "web" id "sim-35" node "web-0" pass 1 rule "free_slot" slot 0
machine.created: group "db" id "sim-34" node "db-33" pass 1 rule "free_slot" slot 33
machine.created: group "db" id "sim-33" node "db-32" pass 1 rule "free_slot" slot 32
machine.created: group "db" id "sim-32" node "db-31" pass 1 rule "free_slot" slot 31
machine.created: group "db" id "sim-31" node "db-30" pass 1 rule "free_slot" slot 30
machine.created: group "db" id "sim-30" node "db-29" pass 1 rule "free_slot" slot 29
machine.created: group "db" id "sim-29" node "db-28" pass 1 rule "free_slot" slot 28
machine.created: group "db" id "sim-28" node "db-27" pass 1 rule "free_slot" slot 27
machine.created: group "db" id "sim-27" node "db-26" pass 1 rule "free_slot" slot 26
machine.created: group "db" id "sim-26" node "db-25" pass 1 rule "free_slot" slot 25
machine.created: group "db" id "sim-25" node "db-24" pass 1 rule "free_slot" slot 24
machine.created: group "db" id "sim-24" node "db-23" pass 1 rule "free_slot" slot 23
machine.created: group "db" id "sim-23" node "db-22" pass 1 rule "free_slot" slot 22
machine.created: group "db" id "sim-22" node "db-21" pass 1 rule "free_slot" slot 21
machine.created: group "db" id "sim-21" node "db-20" pass 1 rule "free_slot" slot 20
machine.created: group "db" id "sim-20" node "db-19" pass 1 rule "free_slot" slot 19
machine.created: group "db" id "sim-19" node "db-18" pass 1 rule "free_slot" slot 18
machine.created: group "db" id "sim-18" node "db-17" pass 1 rule "free_slot" slot 17
machine.created: group "db" id "sim-17" node "db-16" pass 1 rule "free_slot" slot 16
machine.created: group "db" id "sim-16" node "db-15" pass 1 rule "free_slot" slot 15
machine.created: group "db" id "sim-15" node "db-14" pass 1 rule "free_slot" slot 14
machine.created: group "db" id "sim-14" node "db-13" pass 1 rule "free_slot" slot 13
machine.created: group "db" id "sim-13" node "db-12" pass 1 rule "free_slot" slot 12
machine.created: group "db" id "sim-12" node "db-11" pass 1 rule "free_slot" slot 11
machine.created: group "db" id "sim-11" node "db-10" pass 1 rule "free_slot" slot 10
machine.created: group "db" id "sim-10" node "db-9" pass 1 rule "free_slot" slot 9
machine.created: group "db" id "sim-9" node "db-8" pass 1 rule "free_slot" slot 8
machine.created: group "db" id "sim-8" node "db-7" pass 1 rule "free_slot" slot 7
machine.created: group "db" id "sim-7" node "db-6" pass 1 rule "free_slot" slot 6
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
machine.ready: fact "sim-7 runs" group "db" id "sim-7" node "db-6" pass 2 rule "activate" slot 6
machine.ready: fact "sim-8 runs" group "db" id "sim-8" node "db-7" pass 2 rule "activate" slot 7
machine.ready: fact "sim-9 runs" group "db" id "sim-9" node "db-8" pass 2 rule "activate" slot 8
machine.ready: fact "sim-10 runs" group "db" id "sim-10" node "db-9" pass 2 rule "activate" slot 9
machine.ready: fact "sim-11 runs" group "db" id "sim-11" node "db-10" pass 2 rule "activate" slot 10
machine.ready: fact "sim-12 runs" group "db" id "sim-12" node "db-11" pass 2 rule "activate" slot 11
machine.ready: fact "sim-13 runs" group "db" id "sim-13" node "db-12" pass 2 rule "activate" slot 12
machine.ready: fact "sim-14 runs" group "db" id "sim-14" node "db-13" pass 2 rule "activate" slot 13
machine.ready: fact "sim-15 runs" group "db" id "sim-15" node "db-14" pass 2 rule "activate" slot 14
machine.ready: fact "sim-16 runs" group "db" id "sim-16" node "db-15" pass 2 rule "activate" slot 15
machine.ready: fact "sim-17 runs" group "db" id "sim-17" node "db-16" pass 2 rule "activate" slot 16
machine.ready: fact "sim-18 runs" group "db" id "sim-18" node "db-17" pass 2 rule "activate" slot 17
machine.ready: fact "sim-19 runs" group "db" id "sim-19" node "db-18" pass 2 rule "activate" slot 18
machine.ready: fact "sim-20 runs" group "db" id "sim-20" node "db-19" pass 2 rule "activate" slot 19
machine.ready: fact "sim-21 runs" group "db" id "sim-21" node "db-20" pass 2 rule "activate" slot 20
machine.ready: fact "sim-22 runs" group "db" id "sim-22" node "db-21" pass 2 rule "activate" slot 21
machine.ready: fact "sim-23 runs" group "db" id "sim-23" node "db-22" pass 2 rule "activate" slot 22
machine.ready: fact "sim-24 runs" group "db" id "sim-24" node "db-23" pass 2 rule "activate" slot 23
machine.ready: fact "sim-25 runs" group "db" id "sim-25" node "db-24" pass 2 rule "activate" slot 24
machine.ready: fact "sim-26 runs" group "db" id "sim-26" node "db-25" pass 2 rule "activate" slot 25
machine.ready: fact "sim-27 runs" group "db" id "sim-27" node "db-26" pass 2 rule "activate" slot 26
machine.ready: fact "sim-28 runs" group "db" id "sim-28" node "db-27" pass 2 rule "activate" slot 27
machine.ready: fact "sim-29 runs" group "db" id "sim-29" node "db-28" pass 2 rule "activate" slot 28
machine.ready: fact "sim-30 runs" group "db" id "sim-30" node "db-29" pass 2 rule "activate" slot 29
machine.ready: fact "sim-31 runs" group "db" id "sim-31" node "db-30" pass 2 rule "activate" slot 30
machine.ready: fact "sim-32 runs" group "db" id "sim-32" node "db-31" pass 2 rule "activate" slot 31
machine.ready: fact "sim-33 runs" group "db" id "sim-33" node "db-32" pass 2 rule "activate" slot 32
machine.ready: fact "sim-34 runs" group "db" id "sim-34" node "db-33" pass 2 rule "activate" slot 33
machine.running: fact "sim-35 runs" group "web" id "sim-35" node "web-0" pass 2 rule "activate" slot 0
machine.running: fact "sim-36 runs" group "web" id "sim-36" node "web-1" pass 2 rule "activate" slot 1
machine.running: fact "sim-37 runs" group "web" id "sim-37" node "web-2" pass 2 rule "activate" slot 2
machine.running: fact "sim-38 runs" group "web" id "sim-38" node "web-3" pass 2 rule "activate" slot 3
machine.running: fact "sim-39 runs" group "web" id "sim-39" node "web-4" pass 2 rule "activate" slot 4
machine.running: fact "sim-40 runs" group "web" id "sim-40" node "web-5" pass 2 rule "activate" slot 5
machine.running: fact "sim-41 runs" group "web" id "sim-41" node "web-6" pass 2 rule "activate" slot 6
machine.ready: fact "open" group "web" id "sim-36" node "web-1" pass 2 rule "probe" slot 1
machine.ready: fact "open" group "web" id "sim-40" node "web-5" pass 2 rule "probe" slot 5
machine.ready: fact "open" group "web" id "sim-37" node "web-2" pass 2 rule "probe" slot 2
machine.ready: fact "open" group "web" id "sim-35" node "web-0" pass 2 rule "probe" slot 0
machine.ready: fact "open" group "web" id "sim-39" node "web-4" pass 2 rule "probe" slot 4
machine.ready: fact "open" group "web" id "sim-38" node "web-3" pass 2 rule "probe" slot 3
machine.ready: fact "open" group "web" id "sim-41" node "web-6" pass 2 rule "probe" slot 6
job.done: fact "job/1"
machine.unreachable: fact "no answer" group "web" id "sim-36" node "web-1" pass 2 rule "probe" slot 1
machine.unreachable: fact "no answer" group "web" id "sim-37" node "web-2" pass 2 rule "probe" slot 2
machine.unreachable: fact "no answer" group "web" id "sim-35" node "web-0" pass 2 rule "probe" slot 0
machine.condemned: fact "for 60 s" group "web" id "sim-36" node "web-1" pass 3 rule "unhealthy" slot 1
machine.destroyed: group "web" id "sim-36" node "web-1" pass 3 rule "unhealthy" slot 1
machine.wanted: fact "size is 7, 6 recorded" group "web" node "web-1" pass 4 rule "free_slot" slot 1
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-36" node "web-1" pass 4 rule "forget" slot 1
machine.created: group "web" id "sim-42" node "web-1" pass 4 rule "free_slot" slot 1
machine.condemned: fact "for 60 s" group "web" id "sim-37" node "web-2" pass 5 rule "unhealthy" slot 2
machine.destroyed: group "web" id "sim-37" node "web-2" pass 5 rule "unhealthy" slot 2
machine.wanted: fact "size is 7, 6 recorded" group "web" node "web-2" pass 6 rule "free_slot" slot 2
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-37" node "web-2" pass 6 rule "forget" slot 2
machine.created: group "web" id "sim-43" node "web-2" pass 6 rule "free_slot" slot 2
hold.began: fact "machines that wait for the next window: 1" group "web" pass 7 rule "budget"
machine.running: fact "sim-42 runs" group "web" id "sim-42" node "web-1" pass 8 rule "activate" slot 1
machine.running: fact "sim-43 runs" group "web" id "sim-43" node "web-2" pass 9 rule "activate" slot 2
machine.unreachable: fact "no answer" group "web" id "sim-42" node "web-1" pass 8 rule "probe" slot 1
machine.unreachable: fact "no answer" group "web" id "sim-43" node "web-2" pass 9 rule "probe" slot 2
machine.condemned: fact "for 667 s" group "web" id "sim-35" node "web-0" pass 12 rule "unhealthy" slot 0
machine.condemned: fact "for 302 s" group "web" id "sim-42" node "web-1" pass 12 rule "unhealthy" slot 1
machine.destroyed: group "web" id "sim-42" node "web-1" pass 12 rule "unhealthy" slot 1
machine.destroyed: group "web" id "sim-35" node "web-0" pass 12 rule "unhealthy" slot 0
machine.wanted: fact "size is 7, 5 recorded" group "web" node "web-0" pass 13 rule "free_slot" slot 0
machine.wanted: fact "size is 7, 5 recorded" group "web" node "web-1" pass 13 rule "free_slot" slot 1
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-35" node "web-0" pass 13 rule "forget" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-42" node "web-1" pass 13 rule "forget" slot 1
machine.created: group "web" id "sim-45" node "web-1" pass 13 rule "free_slot" slot 1
machine.created: group "web" id "sim-44" node "web-0" pass 13 rule "free_slot" slot 0
machine.running: fact "sim-45 runs" group "web" id "sim-45" node "web-1" pass 14 rule "activate" slot 1
machine.running: fact "sim-44 runs" group "web" id "sim-44" node "web-0" pass 14 rule "activate" slot 0
machine.unreachable: fact "no answer" group "web" id "sim-44" node "web-0" pass 14 rule "probe" slot 0
machine.unreachable: fact "no answer" group "web" id "sim-45" node "web-1" pass 14 rule "probe" slot 1
machine.condemned: fact "for 300 s" group "web" id "sim-45" node "web-1" pass 17 rule "unhealthy" slot 1
machine.condemned: fact "for 301 s" group "web" id "sim-44" node "web-0" pass 17 rule "unhealthy" slot 0
machine.destroyed: group "web" id "sim-44" node "web-0" pass 17 rule "unhealthy" slot 0
machine.destroyed: group "web" id "sim-45" node "web-1" pass 17 rule "unhealthy" slot 1
machine.wanted: fact "size is 7, 5 recorded" group "web" node "web-0" pass 18 rule "free_slot" slot 0
machine.wanted: fact "size is 7, 5 recorded" group "web" node "web-1" pass 18 rule "free_slot" slot 1
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-45" node "web-1" pass 18 rule "forget" slot 1
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-44" node "web-0" pass 18 rule "forget" slot 0
machine.created: group "web" id "sim-47" node "web-1" pass 18 rule "free_slot" slot 1
machine.created: group "web" id "sim-46" node "web-0" pass 18 rule "free_slot" slot 0
machine.running: fact "sim-47 runs" group "web" id "sim-47" node "web-1" pass 19 rule "activate" slot 1
machine.running: fact "sim-46 runs" group "web" id "sim-46" node "web-0" pass 19 rule "activate" slot 0
machine.ready: fact "open" group "web" id "sim-47" node "web-1" pass 19 rule "probe" slot 1
machine.ready: fact "open" group "web" id "sim-46" node "web-0" pass 19 rule "probe" slot 0
hold.began: fact "1 machine" group "web" pass 20 rule "unreachable"
hold.ended: group "web" pass 20 rule "budget"
machine.ready: fact "open" group "web" id "sim-43" node "web-2" pass 9 rule "probe" slot 2
hold.ended: group "web" pass 21 rule "unreachable"
machine.unreachable: fact "no answer" group "web" id "sim-46" node "web-0" pass 19 rule "probe" slot 0
machine.condemned: fact "for 60 s" group "web" id "sim-46" node "web-0" pass 22 rule "unhealthy" slot 0
machine.destroyed: group "web" id "sim-46" node "web-0" pass 22 rule "unhealthy" slot 0
machine.wanted: fact "size is 7, 6 recorded" group "web" node "web-0" pass 23 rule "free_slot" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-46" node "web-0" pass 23 rule "forget" slot 0
machine.created: group "web" id "sim-48" node "web-0" pass 23 rule "free_slot" slot 0
machine.running: fact "sim-48 runs" group "web" id "sim-48" node "web-0" pass 24 rule "activate" slot 0
machine.unreachable: fact "no answer" group "web" id "sim-48" node "web-0" pass 24 rule "probe" slot 0
machine.condemned: fact "for 60 s" group "web" id "sim-48" node "web-0" pass 25 rule "unhealthy" slot 0
machine.destroyed: group "web" id "sim-48" node "web-0" pass 25 rule "unhealthy" slot 0
machine.wanted: fact "size is 7, 6 recorded" group "web" node "web-0" pass 26 rule "free_slot" slot 0
machine.gone: fact "the provider has confirmed the destruction" group "web" id "sim-48" node "web-0" pass 26 rule "forget" slot 0
machine.created: group "web" id "sim-49" node "web-0" pass 26 rule "free_slot" slot 0
machine.running: fact "sim-49 runs" group "web" id "sim-49" node "web-0" pass 27 rule "activate" slot 0
