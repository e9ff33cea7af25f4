#ifndef REEVE_TESTS_UNIT_SSH_VECTORS_H
#define REEVE_TESTS_UNIT_SSH_VECTORS_H

/* Output of ssh-keygen of OpenSSH 9.2. `ssh-keygen -L -f -` prints a certificate, `ssh-keygen -Q -l
 * -f FILE` a list. */

#define VECTOR_USER_CA                                                                           \
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKskFzr8e4CyqQcxXUnTtLlI56AvWVu8QZcA5B3LJVms ca@vector" \
    "s"

#define VECTOR_HOST_CA                                                                           \
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILKVVS8XhLUtDnL7efjs5NexUYB8z2p78c0mrwN4IDql host-ca@v" \
    "ectors"

#define VECTOR_ROOT                                                                              \
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBNRAttEKJO19avnRdF+5KDY0In1zS7vmp05ZQC38tkw root@web-" \
    "1"

#define VECTOR_HOST \
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIF6mD8Jl8AkMW0VC3583OzV0HNrAxv09U3os1HUU9XgL host"

#define VECTOR_RSA                                                                               \
    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQCy0oeGU8rqMhfvrpAfZmGX/uoV+Pacds6HxIH4XoA1I/YO/YQqQm" \
    "NertwS/SlcmswzfqiXdst8goT33FH/O0Apz0fSQFbxwcZjqAyG9kCCS9N4SDBj0sI0IboySwPJTEobtp92Y705GsLy" \
    "NunGqbsujE7vppBa0iIYibyREpkGC8iD863KBlt/jo9zHYgxmMLGg3EAfuRY9KwAt7T3FXEd140rcd+hoNuUsEbEVt" \
    "iqizwIXcdWH8msLxpLoXK7kK9+D2ZWrP/zIFYjsTJYw5b75Z+p58vqZUGCaaMJSzPQkBcLncHZimNOZnJfYDvTilRg" \
    "IQUIKdnHcoXXnDkQcCGN old@laptop"

#define VECTOR_ECDSA                                                                             \
    "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBOJefVkuZDVs9Zk7Rw" \
    "Uy9iBFoIAJtM4WZKg6HhOM3GiOGhsN6AMg46sUrJ5GduRN9Dq2/eYYrCL6r3CpmU5srBk= ec"

/* -z 42 -n cluster:acme/0f3c -V 20260101Z:20260108Z, force-command, source-address, permit-... */

#define VECTOR_USER_CERT                                                                         \
    "ssh-ed25519-cert-v01@openssh.com AAAAIHNzaC1lZDI1NTE5LWNlcnQtdjAxQG9wZW5zc2guY29tAAAAIOxiN" \
    "yddN4DihP68+i/o0WiWSBvM7V+65Cg9dN8Lio/cAAAAIBNRAttEKJO19avnRdF+5KDY0In1zS7vmp05ZQC38tkwAAA" \
    "AAAAAACoAAAABAAAAFGFjbWUvMGYzYy93ZWItMS9yb290AAAAFQAAABFjbHVzdGVyOmFjbWUvMGYzYwAAAABpVbkAA" \
    "AAAAGle84AAAABDAAAADWZvcmNlLWNvbW1hbmQAAAAKAAAABnVwdGltZQAAAA5zb3VyY2UtYWRkcmVzcwAAAA4AAAA" \
    "KMTAuMC4wLjAvOAAAADAAAAAWcGVybWl0LXBvcnQtZm9yd2FyZGluZwAAAAAAAAAKcGVybWl0LXB0eQAAAAAAAAAAA" \
    "AAAMwAAAAtzc2gtZWQyNTUxOQAAACCrJBc6/HuAsqkHMV1J07S5SOegL1lbvEGXAOQdyyVZrAAAAFMAAAALc3NoLWV" \
    "kMjU1MTkAAABA0K7IIzP4dUz9gkagPy6ZrAW/c1bT0AC2TZ0/YHBLoc+Up+wlz02AkhBsU6u8zM7wCh47H8Ol2NJ/h" \
    "meXNf18BQ== root@web-1"

/* -h -z 2^64-1, three names, without an expiry */

#define VECTOR_HOST_CERT                                                                         \
    "ssh-ed25519-cert-v01@openssh.com AAAAIHNzaC1lZDI1NTE5LWNlcnQtdjAxQG9wZW5zc2guY29tAAAAILYiG" \
    "rqDKnWqTPNqPAdNYjeEpHktO/+pm4VWgAC0LKu9AAAAIF6mD8Jl8AkMW0VC3583OzV0HNrAxv09U3os1HUU9XgL///" \
    "///////8AAAACAAAABXdlYi0xAAAAKgAAAAV3ZWItMQAAABF3ZWItMS5leGFtcGxlLm9yZwAAAAgxMC4wLjAuNwAAA" \
    "AAAAAAA//////////8AAAAAAAAAAAAAAAAAAAAzAAAAC3NzaC1lZDI1NTE5AAAAILKVVS8XhLUtDnL7efjs5NexUYB" \
    "8z2p78c0mrwN4IDqlAAAAUwAAAAtzc2gtZWQyNTUxOQAAAEDApw04FikB58TDwb8iHO+jBA8EEWUKYHcHaQx4QNsQy" \
    "DwXkjqqjfPGdj9kktOnDLTU7zk7aLkwC6/AWvduZHsJ host"

/* signed by an RSA authority */

#define VECTOR_RSA_CERT                                                                          \
    "ssh-ed25519-cert-v01@openssh.com AAAAIHNzaC1lZDI1NTE5LWNlcnQtdjAxQG9wZW5zc2guY29tAAAAILeYZ" \
    "B2VuuOCxDiZQTUQ9VwtUI8wyukc7pW5G4QPtc8uAAAAIBNRAttEKJO19avnRdF+5KDY0In1zS7vmp05ZQC38tkwAAA" \
    "AAAAAAAAAAAABAAAAAXgAAAAFAAAAAXkAAAAAAAAAAP//////////AAAAAAAAAIIAAAAVcGVybWl0LVgxMS1mb3J3Y" \
    "XJkaW5nAAAAAAAAABdwZXJtaXQtYWdlbnQtZm9yd2FyZGluZwAAAAAAAAAWcGVybWl0LXBvcnQtZm9yd2FyZGluZwA" \
    "AAAAAAAAKcGVybWl0LXB0eQAAAAAAAAAOcGVybWl0LXVzZXItcmMAAAAAAAAAAAAAARcAAAAHc3NoLXJzYQAAAAMBA" \
    "AEAAAEBALLSh4ZTyuoyF++ukB9mYZf+6hX49px2zofEgfhegDUj9g79hCpCY16u3BL9KVyazDN+qJd2y3yChPfcUf8" \
    "7QCnPR9JAVvHBxmOoDIb2QIJL03hIMGPSwjQhujJLA8lMShu2n3ZjvTkawvI26capuy6MTu+mkFrSIhiJvJESmQYLy" \
    "IPzrcoGW3+Oj3MdiDGYwsaDcQB+5Fj0rAC3tPcVcR3XjStx36Gg25SwRsRW2KqLPAhdx1YfyawvGkuhcruQr34PZla" \
    "s//MgViOxMljDlvvln6nny+plQYJpowlLM9CQFwudwdmKY05mcl9gO9OKVGAhBQgp2cdyhdecORBwIY0AAAEUAAAAD" \
    "HJzYS1zaGEyLTUxMgAAAQBfMBUSJVJcSDBR1s4N7k3XwjqK077GuEXUtw3VTyz7H8qmVjYvq3DF2C2yRc8geAAufQA" \
    "jg8dknlSZoVsBL2QQw77ik4cQ+l/SpE8FKjjNkRlvYrEuRN8HBVs1469uJL14A4D7B0DAKcPoOkkPWiO290BoHSncl" \
    "rtARvdQ6X3YlSzNCJkxdnD49lGfFmopissjF8oaddPe1fmD46PwKY3bZltdIDgQzUaXRMBOw8u4J1rbd8ldlDTLunk" \
    "GBVV4dVX5vrZITyNy5aBJKNLYBw9xg3bropWI8hQiqyhBBVJcOoE4Ez75afy/1USlRP8WFbKXxxu73bgaTOE4+4hDE" \
    "FHp root@web-1"

/* -z 5: serials 7, 100-104, 200, 203, 205-206, 300-100000 (bitmaps among them), two ids, one key;
 * base64 */

#define VECTOR_KRL                                                                               \
    "U1NIS1JMCgAAAAABAAAAAAAAAAUAAAAAawLTMgAAAAAAAAAAAAAAAAAAAAABAAAAtgAAADMAAAALc3NoLWVkMjU1MT" \
    "kAAAAgqyQXOvx7gLKpBzFdSdO0uUjnoC9ZW7xBlwDkHcslWawAAAAAIAAAAAgAAAAAAAAAByIAAAANAAAAAAAAAGQA" \
    "AAABHyIAAAANAAAAAAAAAMgAAAABaSEAAAAQAAAAAAAAASwAAAAAAAGGoCMAAAAwAAAAFGFjbWUvMGYzYy93ZWItMS" \
    "9yb290AAAAFGFjbWUvMGYzYy93ZWItMi9yb290AgAAADcAAAAzAAAAC3NzaC1lZDI1NTE5AAAAIF6mD8Jl8AkMW0VC" \
    "3583OzV0HNrAxv09U3os1HUU9XgL"
/* with the digest of a key */

#define VECTOR_KRL_SHA                                                                           \
    "U1NIS1JMCgAAAAABAAAAAAAAAAAAAAAAawLTMgAAAAAAAAAAAAAAAAAAAAAFAAAAJAAAACC3mgqag6ldBJfomZ2NSe" \
    "CoSJkdOc9PJkRS9yRnICI/MA=="
#endif
