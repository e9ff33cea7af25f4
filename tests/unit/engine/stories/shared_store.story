1.000 s (0 decided, last at 0.000 s), 0 lists, 0 other calls, 0 probes
  + /_/Session/life-2/status
    beat: 1
    clock: "lab"

  + /default/Lease/ID/status
    ahead: -999
    clock: "lab"
    session: "life-2"

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

6.000 s, 1 done, 1 quiet (2 decided, last at 3.500 s), 1 lists, 0 other calls, 0 probes
  ~ /_/Session/life-2/status
    beat: 2

11.000 s (0 decided, last at 3.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-2/status
    beat: 3

16.000 s (0 decided, last at 3.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-2/status
    beat: 4

21.000 s (0 decided, last at 3.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-2/status
    beat: 5

26.000 s (0 decided, last at 3.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-2/status
    beat: 6

31.000 s (0 decided, last at 3.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-2/status
    beat: 7

36.000 s, 1 quiet (0 decided, last at 33.500 s), 1 lists, 0 other calls, 0 probes
  ~ /_/Session/life-2/status
    beat: 8

41.000 s (0 decided, last at 33.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-2/status
    beat: 9

46.000 s (0 decided, last at 33.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-2/status
    beat: 10

51.000 s (0 decided, last at 33.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-2/status
    beat: 11

56.000 s (0 decided, last at 33.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-2/status
    beat: 12

61.000 s (0 decided, last at 33.500 s), 0 lists, 0 other calls, 0 probes
=== the manager dies, and the next one waits for its lease
  + /_/Session/life-3/status
    beat: 1
    clock: "lab"

66.000 s, 1 foreign (0 decided, last at 61.000 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 2

71.000 s, 1 foreign (0 decided, last at 68.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 3

76.000 s (0 decided, last at 68.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 4

  ~ /default/Lease/ID/status
    session: "life-3"

  - /_/Session/life-2/status

  ~ /default/Control/ID/status
    series: {"4981fbfa71b6":[1,75001,75001],"fbae27432718":[2,1,1]}
  + /default/Resource/ID/4981fbfa71b6000000017fa3cb7da0a8/status
    created: 75001
    generation: "58c2d4f2b51c301b"
    group: "web"
    made: 1760000076000
    pass: 3
    reason: "free_slot"
    slot: 2
    state: "create"
  ~ /default/Cluster/ID/status
    machines: {"creating":1,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":3}
    observed: 18
  + /default/Job/ID/00000000000000000018/status
    begun: 1760000076000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":1,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":3}]
    machines: {"creating":1,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":3}
    problems: []
    revision: 18
    state: "running"
    waits: []

  ~ /default/Resource/ID/4981fbfa71b6000000017fa3cb7da0a8/status
    answered: true
    id: "sim-3"

78.000 s, 1 done, 4 quiet (5 decided, last at 77.500 s), 6 lists, 1 other calls, 0 probes
  ~ /default/Resource/ID/4981fbfa71b6000000017fa3cb7da0a8/status
    active: 77001
    pass: 4
    state: "active"
  ~ /default/Cluster/ID/status
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}
  ~ /default/Job/ID/00000000000000000018/status
    ended: 1760000078000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}
    state: "done"

81.000 s, 1 done, 1 quiet (2 decided, last at 78.500 s), 1 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 5

86.000 s (0 decided, last at 78.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 6

91.000 s (0 decided, last at 78.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 7

96.000 s (0 decided, last at 78.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 8

101.000 s (0 decided, last at 78.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 9

106.000 s (0 decided, last at 78.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 10

111.000 s, 1 quiet (0 decided, last at 108.500 s), 1 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 11

116.000 s (0 decided, last at 108.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 12

121.000 s (0 decided, last at 108.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 13

126.000 s (0 decided, last at 108.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 14

131.000 s (0 decided, last at 108.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 15

136.000 s (0 decided, last at 108.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 16

141.000 s, 1 quiet (0 decided, last at 138.500 s), 1 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 17

146.000 s (0 decided, last at 138.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 18

151.000 s (0 decided, last at 138.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 19

156.000 s (0 decided, last at 138.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 20

161.000 s (0 decided, last at 138.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 21

166.000 s (0 decided, last at 138.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 22

171.000 s, 1 quiet (0 decided, last at 168.500 s), 1 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 23

176.000 s (0 decided, last at 168.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 24

181.000 s (0 decided, last at 168.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 25

186.000 s (0 decided, last at 168.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 26

191.000 s (0 decided, last at 168.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 27

196.000 s (0 decided, last at 168.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 28

201.000 s, 1 quiet (0 decided, last at 198.500 s), 1 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 29

206.000 s (0 decided, last at 198.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 30

211.000 s (0 decided, last at 198.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 31

216.000 s (0 decided, last at 198.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 32

221.000 s (0 decided, last at 198.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 33

226.000 s (0 decided, last at 198.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 34

231.000 s, 1 quiet (0 decided, last at 228.500 s), 1 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 35

236.000 s (0 decided, last at 228.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 36

241.000 s (0 decided, last at 228.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 37

246.000 s (0 decided, last at 228.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 38

251.000 s (0 decided, last at 228.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 39

256.000 s (0 decided, last at 228.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 40

261.000 s, 1 quiet (0 decided, last at 258.500 s), 1 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 41

266.000 s (0 decided, last at 258.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 42

271.000 s (0 decided, last at 258.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 43

276.000 s (0 decided, last at 258.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 44

281.000 s (0 decided, last at 258.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 45

286.000 s (0 decided, last at 258.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 46

291.000 s, 1 quiet (0 decided, last at 288.500 s), 1 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 47

296.000 s (0 decided, last at 288.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 48

301.000 s (0 decided, last at 288.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 49

306.000 s (0 decided, last at 288.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 50

311.000 s (0 decided, last at 288.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 51

316.000 s (0 decided, last at 288.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 52

321.000 s, 1 quiet (0 decided, last at 318.500 s), 1 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 53

326.000 s (0 decided, last at 318.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 54

331.000 s (0 decided, last at 318.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 55

336.000 s (0 decided, last at 318.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 56

341.000 s (0 decided, last at 318.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 57

346.000 s (0 decided, last at 318.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 58

351.000 s, 1 quiet (0 decided, last at 348.500 s), 1 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 59

356.000 s (0 decided, last at 348.500 s), 0 lists, 0 other calls, 0 probes
  ~ /_/Session/life-3/status
    beat: 60

=== the end
361.000 s (0 decided, last at 348.500 s), 0 lists, 0 other calls, 0 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-3 web/2 {"resourcePlugin":"sim"} zone '' labels  made 76000 ended 0 stopped 0 reboots 0 at 0 ''
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
cluster.changed: actor "ana" groups ["web"] sums {"change":0,"create":1,"destroy":0,"groups":1,"nodes":3,"reboot":0,"replace":0}
machine.wanted: fact "size is 3, 2 recorded" group "web" node "web-2" pass 3 rule "free_slot" slot 2
job.began: fact "job/18"
machine.created: group "web" id "sim-3" node "web-2" pass 3 rule "free_slot" slot 2
machine.ready: fact "sim-3 runs" group "web" id "sim-3" node "web-2" pass 4 rule "activate" slot 2
job.done: fact "job/18"
