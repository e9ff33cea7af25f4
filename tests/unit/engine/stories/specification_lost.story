61.000 s (0 decided, last at 33.500 s), 0 lists, 0 other calls, 0 probes
=== nobody has said that it is to be deleted
  + /default/Hold/ID/unexplained/status
    cluster: "shop"
    fact: "2 machines"
    pass: 3
    rule: "unexplained"
    since: 1760000061000
    wouldCreate: 0
    wouldDestroy: 2

=== the end
1861.000 s, 60 held (60 decided, last at 1831.000 s), 60 lists, 0 other calls, 0 probes
=== machines
sim-1 web/0 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
sim-2 web/1 {"resourcePlugin":"sim"} zone '' labels  made 1000 ended 0 stopped 0 reboots 0 at 0 ''
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
hold.began: fact "2 machines" pass 3 rule "unexplained"
