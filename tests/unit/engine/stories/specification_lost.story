=== nobody has said that it is to be deleted
61.000 s


  + /default/Pass/ID/000000000003
    (bytes)
  + /default/Pass/ID/status
    chains: 1 3 1 1760000061000 ; 
    next: 4
  + /default/Hold/ID/unexplained/status
    advice: "restore a backup, or apply the cluster again with its id; to be rid of it delete it then: nothing is ended before"
    cluster: "shop"
    fact: "2 machines"
    pass: 3
    rule: "unexplained"
    since: 1760000061000
    why: "what is wanted of the cluster is gone, and nobody has said that it is to be deleted"
    wouldCreate: 0
    wouldDestroy: 2

=== events

{"actor":"ana","groups":["web"],"kind":"Cluster","name":"shop","object":"ID","sums":{"change":0,"create":2,"destroy":0,"groups":1,"nodes":2,"reboot":0,"replace":0},"type":"cluster.created"}
{"actor":"reeve","fact":"size is 2, 0 recorded","group":"web","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":1,"rule":"free_slot","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.wanted"}
{"actor":"reeve","fact":"size is 2, 0 recorded","group":"web","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":1,"rule":"free_slot","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.wanted"}
{"actor":"reeve","fact":"job/1","kind":"Cluster","name":"shop","object":"ID","type":"job.began"}
{"actor":"reeve","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":1,"rule":"free_slot","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.made"}
{"actor":"reeve","group":"web","id":"sim-1","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":1,"rule":"free_slot","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.made"}
{"actor":"reeve","fact":"sim-1 runs","group":"web","id":"sim-1","kind":"Cluster","name":"shop","node":"web-0","object":"ID","pass":2,"rule":"activate","slot":0,"token":"fbae27432718000000014bd8c442c5f8","type":"machine.ready"}
{"actor":"reeve","fact":"sim-2 runs","group":"web","id":"sim-2","kind":"Cluster","name":"shop","node":"web-1","object":"ID","pass":2,"rule":"activate","slot":1,"token":"fbae2743271800000002de820479c4a8","type":"machine.ready"}
{"actor":"reeve","fact":"job/1","kind":"Cluster","name":"shop","object":"ID","type":"job.done"}
{"actor":"reeve","fact":"2 machines","kind":"Cluster","name":"shop","object":"ID","pass":3,"rule":"unexplained","type":"hold.began"}
