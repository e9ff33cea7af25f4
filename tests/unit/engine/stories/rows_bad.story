=== a host key with a line end
63.500 s (last pass at 33.500 s), 2 lists, 0 other calls, 0 probes
  + /default/Control/ID/status
    series: {"fbae27432718":[1,1,1]}
    unheard: {"sim":[1,62501,62501]}

363.500 s, 10 quiet (last pass at 333.500 s), 10 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    unheard: (none)

=== a host key that is as long as one may be
423.500 s, 2 quiet (last pass at 393.500 s), 3 lists, 0 other calls, 0 probes
  + /default/Hold/ID/foreign/status
    advice: "find out whose they are: another cluster's, another store's, or made after the backup that was restored; reeve never ends them, if nobody needs them end them at the provider"
    cluster: "shop"
    fact: "1 machine with our tags, not ours"
    pass: 3
    rule: "foreign"
    since: 1760000423500
    sources: ["sim"]
    why: "a machine carries our tags and is not ours: it is only reported"
    wouldCreate: 0
    wouldDestroy: 0
  + /default/Cluster/ID/status
    holds: 1
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":1,"unhealthy":0,"unreachable":0,"wanted":1}
    observed: 1

723.500 s, 10 held (last pass at 693.500 s), 10 lists, 0 other calls, 0 probes
  - /default/Hold/ID/foreign/status
  ~ /default/Cluster/ID/status
    holds: 0

=== one that is longer
783.500 s, 2 quiet (last pass at 753.500 s), 3 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    unheard: {"sim":[1,782501,782501]}

1083.500 s, 10 quiet (last pass at 1053.500 s), 10 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    unheard: (none)

=== a token with a blank
1143.500 s, 2 quiet (last pass at 1113.500 s), 3 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    unheard: {"sim":[1,1142501,1142501]}

1443.500 s, 10 quiet (last pass at 1413.500 s), 10 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    unheard: (none)

=== a group with a quote
1503.500 s, 2 quiet (last pass at 1473.500 s), 3 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    unheard: {"sim":[1,1502501,1502501]}

1803.500 s, 10 quiet (last pass at 1773.500 s), 10 lists, 0 other calls, 0 probes
  ~ /default/Control/ID/status
    unheard: (none)

=== no token
1863.500 s, 2 quiet (last pass at 1833.500 s), 3 lists, 0 other calls, 0 probes
  + /default/Hold/ID/foreign/status
    advice: "find out whose they are: another cluster's, another store's, or made after the backup that was restored; reeve never ends them, if nobody needs them end them at the provider"
    cluster: "shop"
    fact: "1 machine with our tags, not ours"
    pass: 5
    rule: "foreign"
    since: 1760001863500
    sources: ["sim"]
    why: "a machine carries our tags and is not ours: it is only reported"
    wouldCreate: 0
    wouldDestroy: 0
  ~ /default/Cluster/ID/status
    holds: 1

2163.500 s, 10 held (last pass at 2133.500 s), 10 lists, 0 other calls, 0 probes
  - /default/Hold/ID/foreign/status
  ~ /default/Cluster/ID/status
    holds: 0

=== the end
2221.000 s, 2 quiet (last pass at 2193.500 s), 1 lists, 0 other calls, 0 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/0  zone '' labels  made 61000 ended 361000 stopped 0 reboots 0 at 0 ''
sim-3 web/0  zone '' labels  made 421000 ended 721000 stopped 0 reboots 0 at 0 ''
sim-4 web/0  zone '' labels  made 781000 ended 1081000 stopped 0 reboots 0 at 0 ''
sim-5 web/0  zone '' labels  made 1141000 ended 1441000 stopped 0 reboots 0 at 0 ''
sim-6 we"b/0  zone '' labels  made 1501000 ended 1801000 stopped 0 reboots 0 at 0 ''
sim-7 web/0  zone '' labels  made 1861000 ended 2161000 stopped 0 reboots 0 at 0 ''
=== events
cluster.created: actor "ana" groups ["web"] sums {"change":0,"create":1,"destroy":0,"groups":1,"nodes":1,"reboot":0,"replace":0}
machine.wanted: fact "size is 1, 0 recorded" group "web" node "web-0" pass 1 rule "free_slot" slot 0
job.began: fact "job/1"
machine.made: group "web" id "sim-1" node "web-0" pass 1 rule "free_slot" slot 0
machine.ready: fact "sim-1 runs" group "web" id "sim-1" node "web-0" pass 2 rule "activate" slot 0
job.done: fact "job/1"
hold.began: fact "1 machine with our tags, not ours" pass 3 rule "foreign"
hold.ended: pass 4 rule "foreign"
hold.began: fact "1 machine with our tags, not ours" pass 5 rule "foreign"
hold.ended: pass 6 rule "foreign"
