61.000 s (0 decided, last at 33.500 s), 0 lists, 0 other calls, 0 probes
=== a host key with a line end
63.500 s (0 decided, last at 33.500 s), 2 lists, 0 other calls, 0 probes
  + /default/Control/ID/status
    series: {"fbae27432718":[1,1,1]}
    unheard: {"sim":[1,62501,62501]}

663.500 s, 20 quiet (20 decided, last at 633.500 s), 20 lists, 0 other calls, 0 probes
  + /default/Hold/ID/unlisted/status
    cluster: "shop"
    fact: "sim: the plugin lists sim-2 with a host key that has a blank, a quote or another invalid character; unmanaged: 1 machine"
    pass: 3
    rule: "unlisted"
    since: 1760000663500
    wouldCreate: 0
    wouldDestroy: 0
  + /default/Cluster/ID/status
    holds: 1
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":1,"unhealthy":0,"unreachable":0,"wanted":1}
    observed: 1

783.500 s, 4 held (4 decided, last at 753.500 s), 4 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    unheard: (none)
  - /default/Hold/ID/unlisted/status
  ~ /default/Cluster/ID/status
    holds: 0

841.000 s, 2 quiet (2 decided, last at 813.500 s), 1 lists, 0 other calls, 0 probes
=== a host key that is as long as one may be
843.500 s (0 decided, last at 813.500 s), 2 lists, 0 other calls, 0 probes
  + /default/Hold/ID/foreign/status
    cluster: "shop"
    fact: "1 machine with tags of reeve that this reeve did not create"
    pass: 5
    rule: "foreign"
    since: 1760000843500
    sources: ["sim"]
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1

1563.500 s, 24 held (24 decided, last at 1533.500 s), 24 lists, 0 other calls, 0 probes
  - /default/Hold/ID/foreign/status
  ~ /default/Cluster/ID/status
    holds: 0

1621.000 s, 2 quiet (2 decided, last at 1593.500 s), 1 lists, 0 other calls, 0 probes
=== one that is longer
1623.500 s (0 decided, last at 1593.500 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    unheard: {"sim":[1,1622501,1622501]}

2223.500 s, 20 quiet (20 decided, last at 2193.500 s), 20 lists, 0 other calls, 0 probes
  + /default/Hold/ID/unlisted/status
    cluster: "shop"
    fact: "sim: the plugin lists sim-4 with a host key longer than 1000 bytes; unmanaged: 1 machine"
    pass: 7
    rule: "unlisted"
    since: 1760002223500
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1

2343.500 s, 4 held (4 decided, last at 2313.500 s), 4 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    unheard: (none)
  - /default/Hold/ID/unlisted/status
  ~ /default/Cluster/ID/status
    holds: 0

2401.000 s, 2 quiet (2 decided, last at 2373.500 s), 1 lists, 0 other calls, 0 probes
=== a token with a blank
2403.500 s (0 decided, last at 2373.500 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    unheard: {"sim":[1,2402501,2402501]}

3003.500 s, 20 quiet (20 decided, last at 2973.500 s), 20 lists, 0 other calls, 0 probes
  + /default/Hold/ID/unlisted/status
    cluster: "shop"
    fact: "sim: the plugin lists sim-5 with a token that has a blank, a quote or another invalid character; unmanaged: 1 machine"
    pass: 9
    rule: "unlisted"
    since: 1760003003500
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1

3123.500 s, 4 held (4 decided, last at 3093.500 s), 4 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    unheard: (none)
  - /default/Hold/ID/unlisted/status
  ~ /default/Cluster/ID/status
    holds: 0

3181.000 s, 2 quiet (2 decided, last at 3153.500 s), 1 lists, 0 other calls, 0 probes
=== a group with a quote
3183.500 s (0 decided, last at 3153.500 s), 2 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    unheard: {"sim":[1,3182501,3182501]}

3783.500 s, 20 quiet (20 decided, last at 3753.500 s), 20 lists, 0 other calls, 0 probes
  + /default/Hold/ID/unlisted/status
    cluster: "shop"
    fact: "sim: the plugin lists sim-6 with a group that has a blank, a quote or another invalid character; unmanaged: 1 machine"
    pass: 11
    rule: "unlisted"
    since: 1760003783500
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1

3903.500 s, 4 held (4 decided, last at 3873.500 s), 4 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    unheard: (none)
  - /default/Hold/ID/unlisted/status
  ~ /default/Cluster/ID/status
    holds: 0

3961.000 s, 2 quiet (2 decided, last at 3933.500 s), 1 lists, 0 other calls, 0 probes
=== no token
3963.500 s (0 decided, last at 3933.500 s), 2 lists, 0 other calls, 0 probes
  + /default/Hold/ID/foreign/status
    cluster: "shop"
    fact: "1 machine with tags of reeve that this reeve did not create"
    pass: 13
    rule: "foreign"
    since: 1760003963500
    sources: ["sim"]
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1

4683.500 s, 24 held (24 decided, last at 4653.500 s), 24 lists, 0 other calls, 0 probes
  - /default/Hold/ID/foreign/status
  ~ /default/Cluster/ID/status
    holds: 0

=== the end
4741.000 s, 2 quiet (2 decided, last at 4713.500 s), 1 lists, 0 other calls, 0 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/0  zone '' labels  made 61000 ended 781000 stopped 0 reboots 0 at 0 ''
sim-3 web/0  zone '' labels  made 841000 ended 1561000 stopped 0 reboots 0 at 0 ''
sim-4 web/0  zone '' labels  made 1621000 ended 2341000 stopped 0 reboots 0 at 0 ''
sim-5 web/0  zone '' labels  made 2401000 ended 3121000 stopped 0 reboots 0 at 0 ''
sim-6 we"b/0  zone '' labels  made 3181000 ended 3901000 stopped 0 reboots 0 at 0 ''
sim-7 web/0  zone '' labels  made 3961000 ended 4681000 stopped 0 reboots 0 at 0 ''
=== events
cluster.created: actor "ana" groups ["web"] sums {"change":0,"create":1,"destroy":0,"groups":1,"nodes":1,"reboot":0,"replace":0}
machine.wanted: fact "size is 1, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
job.began: fact "job/1"
machine.created: group "web" id "sim-1" node "web-0" pass 1 rule "free_slot" slot 0
machine.ready: fact "sim-1 runs" group "web" id "sim-1" node "web-0" pass 2 rule "activate" slot 0
job.done: fact "job/1"
hold.began: fact "sim: the plugin lists sim-2 with a host key that has a blank, a quote or another invalid character; unmanaged: 1 machine" pass 3 rule "unlisted"
hold.ended: pass 4 rule "unlisted"
hold.began: fact "1 machine with tags of reeve that this reeve did not create" pass 5 rule "foreign"
hold.ended: pass 6 rule "foreign"
hold.began: fact "sim: the plugin lists sim-4 with a host key longer than 1000 bytes; unmanaged: 1 machine" pass 7 rule "unlisted"
hold.ended: pass 8 rule "unlisted"
hold.began: fact "sim: the plugin lists sim-5 with a token that has a blank, a quote or another invalid character; unmanaged: 1 machine" pass 9 rule "unlisted"
hold.ended: pass 10 rule "unlisted"
hold.began: fact "sim: the plugin lists sim-6 with a group that has a blank, a quote or another invalid character; unmanaged: 1 machine" pass 11 rule "unlisted"
hold.ended: pass 12 rule "unlisted"
hold.began: fact "1 machine with tags of reeve that this reeve did not create" pass 13 rule "foreign"
hold.ended: pass 14 rule "foreign"
