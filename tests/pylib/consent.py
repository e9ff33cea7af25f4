"""An observer of consent, independent of reeve: it checks that each destructive act had the consent of a user or a
policy in force.

It reads the data that a manager leaves when it has ended: the audited events and the versions of the desired state,
directly from the database, the journal of the provider's plugin `file`, and the disks of the nodes (`pylib/node.py`)
next to the manager's data. It shares no code with reeve and queries no manager. Every act that it does not know is a
finding. So a new rule that destroys something must be added here, with the consent that it needs."""
import contextlib
import json
import pathlib
import re
import sqlite3

REEVE = "reeve"  # the actor of actions without a request
# Rules by which a machine is destroyed, grouped by the consent that they need.
BY_SIZE = {"scale_in"}  # a user reduced the size, for as many machines as the change announced
BY_CHANGE = {"roll", "rolled", "overtaken", "rollout_aborted"}  # a user changed the specification, or aborted a rollout
BY_REQUEST = {"replace"}  # a user requested another machine in the slot
# policy: healing is enabled, and the group is not protected
BY_HEALING = {"lost", "ended", "stopped", "unhealthy", "failed", "unfinished"}
BY_QUARANTINE = {"orphan"}  # policy: the machine was in quarantine, and no user exempted it
BY_LIFE = {"old_incarnation"}  # after a restore: an operator approved
BY_CANCEL = {"cancel"}  # no machine is known, and the request is no longer desired
# Names of format 1 of the store, which its old events still have (decision 0126).
FORMER = {"machine.calm": "machine.alarm_cleared", "machine.ended": "machine.destroyed", "machine.made": "machine.created",
          "machine.well": "machine.healthy", "node.anew": "node.bootstrap_reset", "node.rerun_wished": "node.rerun_requested",
          "nodes.rerun_wished": "nodes.rerun_requested", "cluster.rotation_wished": "cluster.rotation_requested",
          "sick": "unhealthy", "terminated": "backoff_exhausted", "taken_back": "rollout_aborted", "old_life": "old_incarnation",
          "new_life": "new_incarnation"}
NODE_STATE = "var/lib/reeve-node"  # where a node records what reeve has done on it
# Operator commands that start stages again on a node in service.
STARTS_STAGES = ("cluster.", "nodegroup.", "hold.approved", "node.", "nodes.", "rollout.", "machine.accepted", "bundle.")


def named(fact):
    """Returns the names in a text such as "to be rebooted: web-[0-1,3],db-0"."""
    names, prefix = set(), "to be rebooted: "
    for word, ranges in re.findall(r"([^,\[]+)(?:\[([0-9,-]+)\])?,?", fact.removeprefix(prefix) if fact.startswith(prefix) else ""):
        for part in ranges.split(",") if ranges else [""]:
            first, _, last = part.partition("-")
            names.update(f"{word}{number:0{len(first)}}" for number in range(int(first), int(last or first) + 1)) if part else names.add(word)
    return names


class Act:
    """One event of the audit, with its position."""

    def __init__(self, number, body):
        self.number, self.body = number, body
        self.type, self.rule = (FORMER.get(name, name) for name in (body["type"], body.get("rule", "")))
        self.cluster, self.group = body.get("object", ""), body.get("group", "")
        self.id, self.token = body.get("id", ""), body.get("token", "")
        self.is_said = body.get("actor", REEVE) != REEVE

    def __str__(self):
        return f"{self.type} {self.rule} {self.body.get('node', '')} {self.id}".strip()


class Observer:
    """Reads one data directory."""

    def __init__(self, data):
        self.data = pathlib.Path(data)
        with contextlib.closing(sqlite3.connect(f"file:{self.data / 'store.db'}?mode=ro", uri=True)) as database:
            rows = database.execute("SELECT id, body FROM events ORDER BY id").fetchall()
            log = database.execute("SELECT id, CAST(key AS TEXT), value FROM log WHERE CAST(key AS TEXT) LIKE '/%/Resource/%/status' "
                                   "OR CAST(key AS TEXT) LIKE '/%/NodeGroup/%/spec' OR CAST(key AS TEXT) LIKE '/%/Control/%/spec' "
                                   "ORDER BY id").fetchall()
        self.acts = [Act(number, json.loads(body)) for number, body in rows]
        self.versions = {}  # versions of each key without its tenant, as (order, value)
        for order, key, value in log:
            self.versions.setdefault(key.split("/", 2)[2], []).append((order, json.loads(value) if value else None))
        self.faults = []

    def fault(self, act, why):
        """Records an act without consent."""
        self.faults.append(f"{act}: {why}")

    # ---- what was in force ----

    def condemned_at(self, act):
        """Returns the order at which the machine's record was marked for deletion; None: no longer stored."""
        for key, versions in self.versions.items():
            if key.startswith("Resource/") and key.endswith(f"/{act.token}/status"):
                for order, value in versions:
                    if value is not None and value.get("state") == "delete":
                        return order
        return None

    def in_force(self, key, order):
        """Returns the value of a key at that order; None: there was none, or it is not known."""
        values = [value for at, value in self.versions.get(key, ()) if at < order]
        return values[-1] if values else None

    def said_before(self, act, *types):
        """Returns the earlier operator commands about this cluster, newest first."""
        return [one for one in reversed(self.acts) if one.number < act.number and one.is_said
                and one.cluster == act.cluster and one.type.startswith(types)]

    def is_deleted(self, act):
        """Returns whether a user deleted the whole cluster before."""
        return bool(self.said_before(act, "cluster.deleted"))

    # ---- machines that are destroyed ----

    def check_size(self, act):
        """Not more machines than the changes of the size announced to their users."""
        agreed = sum(one.body.get("sums", {}).get("destroy", 0) for one in self.said_before(act, "cluster.", "nodegroup."))
        taken = [one for one in self.acts if one.type == "machine.condemned" and one.rule in BY_SIZE
                 and one.cluster == act.cluster and one.number <= act.number]
        if len(taken) > agreed:
            self.fault(act, f"{len(taken)} are destroyed by size, people agreed to {agreed}")

    def check_change(self, act):
        """A user changed the desired state after the machine was created."""
        made = [one.number for one in self.acts if one.id == act.id and one.number < act.number
                and one.type in ("machine.created", "machine.adopted", "machine.wanted", "machine.found")]
        said = [one for one in self.said_before(act, "cluster.", "nodegroup.", "plan.", "hold.approved")
                if one.number > min(made, default=0)]
        if not said:
            self.fault(act, "nobody changed its specification since it was made")

    def check_request(self, act):
        """A user requested the replacement of machines of the cluster after the machine was created."""
        made = [one.number for one in self.acts if one.id == act.id and one.number < act.number
                and one.type in ("machine.created", "machine.adopted", "machine.wanted", "machine.found")]
        if not any(one.number > min(made, default=0) and one.body.get("fact", "").startswith("to be replaced: ")
                   and one.body.get("sums", {}).get("replace", 0) > 0 for one in self.said_before(act, "cluster.", "nodegroup.")):
            self.fault(act, "nobody asked that it is replaced")

    def check_healing(self, act):
        """Policy: the group heals its machines, and is not protected."""
        order = self.condemned_at(act)
        group = order and self.in_force(f"NodeGroup/{act.cluster}/{act.group}/spec", order)
        if not group:
            return  # the group is gone, or its history is not stored
        spec = group.get("spec", {})
        if spec.get("heal") in ("off", False) or spec.get("protected") in (True, "true"):
            self.fault(act, f"heal is {spec.get('heal')}, protected is {spec.get('protected')}")

    def check_pause(self, act):
        """Nothing is destroyed while the group is paused."""
        order = self.condemned_at(act)
        for subject in ("", f"/{act.group}") if order else ():
            words = self.in_force(f"Control/{act.cluster}{subject}/spec", order) or {}
            paused = words.get("paused")
            if paused is not None and "until" not in paused:
                self.fault(act, f"{act.cluster}{subject} is paused")

    def check_quarantine(self, act):
        """Policy: the machine was in quarantine before, and no user has exempted it since."""
        held = [one for one in self.acts if one.type == "hold.began" and one.rule == "quarantine"
                and one.cluster == act.cluster and one.number < act.number]
        if not held:
            self.fault(act, "it was never held")
        elif any(one.number > held[-1].number and one.rule == "quarantine"
                 for one in self.said_before(act, "hold.rejected")):
            self.fault(act, "somebody spared it")

    def check_life(self, act):
        """An operator approved that reeve acts again after the restore."""
        if not self.said_before(act, "hold.approved"):
            self.fault(act, "nobody approved after the restore")

    def check_destroy(self, act):
        """Checks the destruction of one machine."""
        self.check_pause(act)
        if self.is_deleted(act) and act.rule not in BY_QUARANTINE:
            return
        checks = ((BY_SIZE, self.check_size), (BY_CHANGE, self.check_change), (BY_REQUEST, self.check_request), (BY_HEALING, self.check_healing),
                  (BY_QUARANTINE, self.check_quarantine), (BY_LIFE, self.check_life), (BY_CANCEL, lambda _: None))
        for rules, check in checks:
            if act.rule in rules:
                check(act)
                return
        self.fault(act, "no consent is known for this rule")

    # ---- what happens to nodes ----

    def check_reboot(self, act):
        """Users requested as many reboots as were made; or policy: the group heals by reboots, or its machines are not
        disposable. Never while the group is paused."""
        if act.rule == "reboot_asked":
            self.check_reboot_asked(act)
            return
        self.check_pause(act)
        self.check_healing(act)

    def check_reboot_asked(self, act):
        """There were as many requests for this machine since its creation as reboots of it."""
        made = [one.number for one in self.acts if one.id == act.id and one.number < act.number
                and one.type in ("machine.created", "machine.adopted", "machine.wanted", "machine.found")]
        names = (act.body.get("node", ""), act.id, act.token)
        asked = [one for one in self.said_before(act, "cluster.", "nodegroup.") if one.number > min(made, default=0)
                 and one.body.get("sums", {}).get("reboot", 0) > 0 and any(name in named(one.body.get("fact", "")) for name in names)]
        done = [one for one in self.acts if one.type == "machine.rebooting" and one.rule == act.rule and one.token == act.token
                and one.number <= act.number]
        if len(done) > len(asked):
            self.fault(act, f"it was rebooted {len(done)} times, people asked for {len(asked)}")

    def check_stage(self, act):
        """A stage starts on a node that was in service: a user changed or requested something after its stages had ended."""
        ready = [one.number for one in self.acts if one.token == act.token and one.number < act.number
                 and one.type == "node.bootstrapped"]
        if not ready or self.is_deleted(act):
            return
        own = [one for one in self.acts if ready[-1] < one.number <= act.number]
        if not (any(one.is_said and one.cluster == act.cluster and one.type.startswith(STARTS_STAGES) for one in own)
                or any(one.token == act.token and one.type in ("node.bootstrap_reset", "machine.rebooted", "machine.rebooting") for one in own)):
            self.fault(act, "a stage starts on a node in service, and nobody changed or asked for anything")

    def check_revoked(self, act):
        """A key is revoked: a user requested it, or its machine is destroyed."""
        goes = [one for one in self.acts if one.number <= act.number and one.cluster == act.cluster
                and (one.token == act.token and one.type in ("machine.condemned", "machine.gone", "machine.destroyed"))]
        if not (act.is_said or goes or self.said_before(act, "node.revoked", "cluster.deleted", "cluster.", "nodegroup.")):
            self.fault(act, "nobody took it back, and its machine stays")

    # ---- the provider's own journal ----

    def journal(self):
        """Returns the ids of machines that the plugin `file` has destroyed, from its own journal."""
        for path in sorted((self.data / "plugins").glob("*/file/journal")):
            for line in path.read_text().splitlines():
                yield line.removeprefix("destroy ")

    def check_provider(self):
        """The provider destroyed only machines whose destruction is in the audit."""
        known = {one.id for one in self.acts if one.type in ("machine.condemned", "machine.gone", "machine.destroyed")}
        for name in self.journal():
            if name not in known:
                self.faults.append(f"provider destroyed {name}: the audit knows nothing of it")

    # ---- the nodes' own disks ----

    def disks(self):
        """Returns the nodes whose disks are next to the data directory: (id, folder). The id of a cloud machine is in a
        file; the id of other machines is the address in the settings of their sshd."""
        for path in sorted([*self.data.parent.glob("*/etc/ssh/sshd_config"), *self.data.parent.glob("*/*/etc/ssh/sshd_config")]):
            address = re.search(r"^ListenAddress (\S+)$", path.read_text(), re.MULTILINE)
            if address:
                machine = path.parents[2] / "machine"
                yield machine.read_text() if machine.exists() else address[1], path.parents[2]

    def check_nodes(self):
        """No node ran a stage that is not in the audit, and no member lost files that reeve had installed without a
        release. After the restore of an older store, the audit lacks the events since the copy."""
        if any(one.rule == "store_went_back" for one in self.acts):
            return
        for address, disk in self.disks():
            own = [one for one in self.acts if one.id == address or one.id.endswith(f"/{address}")]
            self.check_attempts(address, disk, own)
            ends = [one.type for one in own if one.type in ("node.bootstrapped", "node.released", "node.traces_left", "node.release_pending",
                                                            "machine.condemned", "machine.gone")]
            if ends and ends[-1] == "node.bootstrapped" and not (disk / NODE_STATE / "marks").is_dir():
                self.faults.append(f"node {address} serves, and its disk has nothing of reeve any more: nobody released it")

    def check_attempts(self, address, disk, own):
        """The markers of a node count the attempts of each stage since it was taken over; at least as many starts must
        be recorded."""
        for mark in sorted(disk.glob(f"{NODE_STATE}/marks/*.attempt")):
            number, count = mark.name.partition(".")[0], mark.read_text().split()[0]
            started = [one for one in own if one.type.startswith("node.stage") and one.body.get("fact", "").startswith(f"stage-{number} ")]
            if int(count) > len(started):
                self.faults.append(f"node {address} began stage {number} {count} times: the audit knows of {len(started)}")

    def look(self):
        """Makes all checks. Returns the acts without consent, as text."""
        checks = {"machine.condemned": self.check_destroy, "machine.rebooting": self.check_reboot,
                  "node.stage": self.check_stage, "node.revoked": self.check_revoked}
        for act in self.acts:
            if act.type in checks:
                checks[act.type](act)
        self.check_provider()
        self.check_nodes()
        return self.faults


def acts_without_consent(data):
    """Returns the acts without consent in this data directory of a manager that has ended, as text."""
    store = pathlib.Path(data) / "store.db"
    content = b"".join(path.read_bytes() for path in store.parent.glob("store.db*"))
    words = (b"machine.condemned", b"machine.rebooting", b"node.stage", b"node.revoked")
    if not any(word in content for word in words) and not list(store.parent.parent.glob(f"*/{NODE_STATE}/marks")):
        return []
    try:
        return Observer(data).look()
    except sqlite3.DatabaseError:
        return []  # the test has damaged its store, so there is no usable data
