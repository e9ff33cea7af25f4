=== an older store, of another life, is in its place
121.000 s
  + /default/Lease/ID/status
    ahead: -999
    clock: "lab"
    session: "life-2"

  + /default/Pass/ID/000000000003
    (bytes)
  + /default/Pass/ID/status
    chains: 1 2 1 1760000003000 ; 3 1 1 1760000121000 ; 
    next: 4
  + /default/Control/ID/status
    held: true
    life: "616e6f74686572206c696665206f6620"
    lifeSince: 120001
    series: {"fbae27432718":[2,1,1]}
  + /default/Hold/ID/store_went_back/status
    advice: "compare sizes and specifications with what they were, then approve: machines of free slots are adopted, and the cluster is managed again; reject it to leave the machines alone; until then nothing is created or destroyed"
    cluster: "shop"
    fact: "2 machines that the store never recorded, for example sim-3"
    pass: 3
    rule: "store_went_back"
    since: 1760000121000
    why: "the store is older than the machines: it was restored, or its files were put back"
    wouldCreate: 0
    wouldDestroy: 0
  + /default/Cluster/ID/status
    holds: 1
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":2,"unhealthy":0,"unreachable":0,"wanted":2}
    observed: 7
  + /default/Job/ID/00000000000000000007/status
    begun: 1760000121000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":2,"updated":2,"wanted":2}
    revision: 7
    state: "waiting"
    troubles: []
    waits: ["store_went_back"]

=== approved, with room for one of the two
3721.000 s


=== store_went_back of shop is answered
  + /default/Pass/ID/000000000004
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 2 1 1760000003000 ; 3 2 1 1760003721000 ; 
    next: 5
  ~ /default/Control/ID/status
    series: {"2c80c771e46a":[1,3720001,3720001],"fbae27432718":[2,1,1]}
    sighted: {"sim-4":[1,3720001,3720001,"spared"]}
    held: (none)
  + /default/Resource/ID/fbae27432718000000034981fbfa71b6/status
    active: 3720001
    created: 3720001
    generation: "58c2d4f2b51c301b"
    group: "web"
    id: "sim-3"
    life: "616e6f74686572206c696665206f6620"
    made: 1760003721000
    name: "web-2"
    pass: 4
    plugin: "sim"
    reason: "store_went_back"
    slot: 2
    state: "active"
  ~ /default/Cluster/ID/status
    holds: 0
    machines: {"creating":0,"failed":0,"leaving":0,"outdated":0,"ready":3,"unhealthy":0,"unreachable":0,"wanted":3}
    observed: 15
  ~ /default/Job/ID/00000000000000000007/status
    ended: 1760003721000
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}
    state: "done"
    waits: []

3726.000 s
  + /default/Pass/ID/000000000005
    (bytes)
  ~ /default/Pass/ID/status
    chains: 1 2 1 1760000003000 ; 3 3 1 1760003726000 ; 
    next: 6
  + /default/Hold/ID/foreign/status
    advice: "find out whose they are: another cluster's, another store's, or made after the backup that was restored; reeve never ends them, if nobody needs them end them at the provider"
    cluster: "shop"
    fact: "1 machine with our tags, not ours"
    pass: 5
    rule: "foreign"
    since: 1760003726000
    sources: ["sim"]
    why: "a machine carries our tags and is not ours: it is only reported"
    wouldCreate: 0
    wouldDestroy: 0
  - /default/Hold/ID/store_went_back/status
  ~ /default/Cluster/ID/status
    holds: 1
  + /default/Job/ID/00000000000000000015/status
    begun: 1760003726000
    by: "ana"
    cluster: "shop"
    groups: [{"creating":0,"generations":["58c2d4f2b51c301b"],"group":"web","leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}]
    machines: {"creating":0,"leaving":0,"old":0,"ready":3,"updated":3,"wanted":3}
    revision: 15
    state: "waiting"
    troubles: []
    waits: ["foreign"]

=== events

{"actor":"reeve","fact":"2 machines that the store never recorded, for example sim-3","kind":"Cluster","name":"shop","object":"ID","pass":3,"rule":"store_went_back","type":"hold.began"}
{"actor":"reeve","fact":"job/7","kind":"Cluster","name":"shop","object":"ID","type":"job.began"}
{"actor":"ana","groups":["web"],"kind":"Cluster","name":"shop","object":"ID","sums":{"change":0,"create":1,"destroy":0,"groups":1,"nodes":3,"reboot":0,"replace":0},"type":"cluster.changed"}
{"actor":"ana","kind":"Cluster","name":"shop","object":"ID","rule":"store_went_back","type":"hold.approved"}
{"actor":"reeve","fact":"sim-3 runs","group":"web","id":"sim-3","kind":"Cluster","name":"shop","node":"web-2","object":"ID","pass":4,"rule":"store_went_back","slot":2,"token":"fbae27432718000000034981fbfa71b6","type":"machine.adopted"}
{"actor":"reeve","fact":"job/7","kind":"Cluster","name":"shop","object":"ID","type":"job.done"}
{"actor":"reeve","fact":"1 machine with our tags, not ours","kind":"Cluster","name":"shop","object":"ID","pass":5,"rule":"foreign","type":"hold.began"}
{"actor":"reeve","kind":"Cluster","name":"shop","object":"ID","pass":5,"rule":"store_went_back","type":"hold.ended"}
{"actor":"reeve","fact":"job/15","kind":"Cluster","name":"shop","object":"ID","type":"job.began"}
