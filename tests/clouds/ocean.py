"""What the tests of digitalOcean share: a plugin at a fake, and the calls that reeve makes."""

import hashlib

from driver import Plugin

CLUSTER = "acme/shop"
PROPERTIES = {"region": "fra1", "size": "s-1vcpu-1gb"}


def make_token(name):
    """A token as reeve draws it, the same in each run: the first digits are those of the cluster, in all its tokens."""
    return "f0d988bc8b2000000001" + hashlib.sha256(name.encode()).hexdigest()[:12]


def make_tags(token, cluster=CLUSTER, slot="0", group="web"):
    """The tags of a machine."""
    return {"reeve.cluster_id": cluster, "reeve.group": group, "reeve.logical_id": slot, "reeve.incarnation": "1", "reeve.token": token,
            "reeve.mac": hashlib.sha256(b"mac" + token.encode()).hexdigest()[:32]}


class Caller:
    """One plugin, as a manager would call it."""

    def __init__(self, fake, folder, name="digitalOcean", properties=None, **settings):
        self.fake, self.folder, self.name = fake, folder, name
        self.properties = properties if properties is not None else dict(PROPERTIES)
        self.settings = fake.settings | settings
        self.plugin = None
        self.start()

    def start(self, settings=None, credential=None):
        """A new process over the same folder."""
        self.plugin = Plugin(self.name, self.folder, settings or self.settings, credential or self.fake.credential)

    def restart(self):
        """Killed, and started again."""
        self.plugin.kill()
        self.start()

    def close(self):
        """End it."""
        self.plugin.close()

    def create(self, name="web-0", token=None, cluster=CLUSTER, tags=None, **fields):
        """Ask for a machine."""
        token = token or make_token(name + cluster)
        return self.plugin.call("create", **{"cluster": cluster, "token": token, "name": name, "tags": tags or make_tags(token, cluster),
                                             "labels": {"labels": {}, "owner": ""}, "properties": self.properties, "init": "", "keys": "",
                                             "zone": "", "leftMs": 20000} | fields)

    def make(self, name="web-0", **fields):
        """The id of a new machine."""
        answer = self.create(name, **fields)
        assert answer.result == 0 and answer.made, answer
        return answer.made

    def destroy(self, id, cluster=CLUSTER, **fields):
        """Destroy a machine."""
        return self.plugin.call("destroy", cluster=cluster, id=id, **fields)

    def describe(self, *ids, cluster=CLUSTER, **fields):
        """All machines of the cluster, or these."""
        return self.plugin.call("describe", cluster=cluster, ids=list(ids), **fields)

    def label(self, id, labels=None, owner="", cluster=CLUSTER, **fields):
        """Replace the labels."""
        return self.plugin.call("label", cluster=cluster, id=id, labels={"labels": labels or {}, "owner": owner}, **fields)

    def reboot(self, id, cluster=CLUSTER, **fields):
        """Reboot a machine."""
        return self.plugin.call("reboot", cluster=cluster, id=id, **fields)

    def preflight(self, properties=None, zones=(), count=1, **fields):
        """Check what a plan needs."""
        return self.plugin.call("preflight", cluster=CLUSTER, zones=list(zones), count=count,
                                properties=self.properties if properties is None else properties, **fields)

    def validate(self, properties):
        """Check properties alone."""
        return self.plugin.call("validate", properties=properties)
