"""The faults that a fake injects: seeded probabilities, values, and faults that are due for the next calls of one kind."""

import random

# How one call fails. Each name is a probability; of several, the first that strikes is taken, in this order.
CALL_FAULTS = ("lose_before", "late", "lose_after", "throttle", "error_5xx", "error_5xx_with_effect", "html", "cut", "slow_drip",
               "gzip_bomb")
# Faults that the services apply themselves, with a probability as well.
SERVICE_FAULTS = ("expire_page_tokens", "fail_later")
VALUES = {
    "lag_ms": 0,            # a read is up to this far behind, by replicas that disagree with each other
    "late_ms": 2000,        # `late`: the effect comes up to this long after the connection was cut
    "cut_at": 40,           # `cut`: so many bytes of the answer are sent
    "drip_ms": 50,          # `slow_drip`: the pause between two bytes, for the first 200 bytes
    "bomb_bytes": 256 << 20,  # `gzip_bomb`: the size of the body when it is decompressed
    "retry_after_s": 1,     # what an injected throttling answer reports
    "capacity": {},         # {ZONE, SIZE or ZONE/SIZE: number of live machines that fit}
    "quota": None,          # live machines of the account
    "fail_later_code": None,  # the reason of `fail_later`, in the provider's own words; None: one of its usual ones
    "page_size": 0,         # pages are at most so long; 0: as requested
    "dead_region": [],      # regions or scopes that do not answer
    "dead_ms": 2000,        # how long a dead region keeps the connection before it cuts it
    "clock_skew_s": 0,      # the provider's clock less the real one
    "boot_ms": 200,         # pending -> running
    "end_ms": 200,          # shutting down -> ended
    "ended_ms": 3600000,    # how long ended machines are listed (aws)
    "token_ms": 3600000,    # life of access tokens and of assumed roles
    "lag_by_id": None,      # reads of one object lag as well; None: as the provider does (aws: yes, the others: no)
    "credentials": None,    # what is accepted instead of the usual: aws {ACCESS KEY: SECRET}, digitalOcean [TOKEN]
    "other_case": False,    # tag objects are stored in another case (digitalOcean)
    "account_status": "active",  # of the account (digitalOcean)
    "volume_limit": 100,    # volumes of the account (digitalOcean)
    "tag_lag_ms": 0,        # tags come so long after the droplet (digitalOcean)
    "operation_ms": 100,    # life of an operation or action
    "wait_ms": 120000,      # how long operations.wait waits (gcd)
    "permissions": None,    # of the caller, for testIamPermissions; None: all that are needed (gcd)
    "buckets": False,       # the token buckets of the provider are in force
    "interfaces": 1,        # network interfaces of a row: with 5 of them a row is as long as a real one, 5 KiB (aws)
    "gzip": False,          # answers are compressed where the client accepts it
    "only": [],             # injected faults hit these calls only; empty: all
    "changes_only": False,  # injected faults hit calls that change something only
    "profile_visible_ms": 0,  # an instance profile is unknown for so long after its first use (aws)
    "compute_max": "2.90",  # the newest microversion of nova (openstack)
    "down_cells": [],       # zones whose cell is down: their servers are UNKNOWN, and left out of listings with a filter (openstack)
    "port_quota": None,     # ports of a region (openstack)
    "free_addresses": None,  # of a network; None: only administrators may see them (openstack)
    "limits": {},           # limits that differ from the usual ones: quotas of a region (gcd), absolute limits (openstack)
    "next": [],             # [{"call", "fault", "times", "skip", "status", "code", "message", "headers", "late_ms"}]; fault `error`: that answer
}
NEXT_FIELDS = {"call", "fault", "times", "skip", "status", "code", "message", "headers", "reason", "effect", "late_ms"}


class BadFault(Exception):
    """A fault that does not exist, or a value of the wrong kind."""


class Faults:
    """The faults in force. All methods are called with the lock of the world held."""

    def __init__(self, seed=1, values=None):
        self.random = random.Random(seed)
        self.values = {name: 0.0 for name in CALL_FAULTS + SERVICE_FAULTS} | {
            name: value.copy() if isinstance(value, (dict, list)) else value for name, value in VALUES.items()}
        self.set(values or {})

    def __getattr__(self, name):
        try:
            return self.__dict__["values"][name]
        except KeyError:
            raise AttributeError(name) from None

    def set(self, values):
        """Change some of them; the others stay."""
        for name, value in values.items():
            if name not in self.values:
                raise BadFault(f"there is no fault '{name}'; there are: {' '.join(sorted(self.values))}")
            if name in CALL_FAULTS + SERVICE_FAULTS and not (isinstance(value, (int, float)) and 0 <= value <= 1):
                raise BadFault(f"'{name}' is a probability")
            if name == "next":
                self._check_next(value)
                value = [dict(each) for each in value]
            if name in ("dead_region", "only") and isinstance(value, str):
                value = [value]
            self.values[name] = value

    @staticmethod
    def _check_next(entries):
        for entry in entries:
            if unknown := set(entry) - NEXT_FIELDS:
                raise BadFault(f"an entry of 'next' has no field '{unknown.pop()}'")
            if entry.get("fault", "error") not in CALL_FAULTS + ("error",):
                raise BadFault(f"there is no fault '{entry['fault']}'")

    def strikes(self, name):
        """Does the fault with a probability happen now?"""
        probability = self.values[name]
        return probability > 0 and self.random.random() < probability

    def pick(self, call, changes):
        """The fault of one call: (name, entry of `next` or None), or (None, None)."""
        for entry in self.values["next"]:
            if entry.get("call") not in (None, "*", call):
                continue
            if entry.get("skip", 0) > 0:
                entry["skip"] -= 1
                continue
            entry["times"] = entry.get("times", 1) - 1
            if entry["times"] <= 0:
                self.values["next"].remove(entry)
            return entry.get("fault", "error"), entry
        if (self.values["only"] and call not in self.values["only"]) or (self.values["changes_only"] and not changes):
            return None, None
        for name in CALL_FAULTS:
            if self.strikes(name):
                return name, None
        return None, None


class Bucket:
    """A token bucket. The clock is the caller's."""

    def __init__(self, per_second, burst):
        self.per_second, self.burst, self.level, self.at = per_second, burst, float(burst), None

    def _fill(self, now):
        if self.at is not None:
            self.level = min(self.burst, self.level + (now - self.at) * self.per_second)
        self.at = now

    def take(self, now, cost=1):
        """Was there enough?"""
        self._fill(now)
        if self.level < cost:
            return False
        self.level -= cost
        return True

    def wait_s(self, now, cost=1):
        """The time until that much is there."""
        self._fill(now)
        return max(0.0, (cost - self.level) / self.per_second)
