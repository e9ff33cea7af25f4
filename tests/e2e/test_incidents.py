"""Twelve kinds of incident at the same time, among 1,200 nodes (issue 24, "shown by c"; UX.md U31): for each of them cause, since, what comes next,
and the command that helps are in `reeve status`, or one command away, which `status` names."""

import contextlib
import os
import re

import pytest

from incidents import World, ZONE
from manager import until

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="nodes are namespaces that root makes")

AT = r"20\d\d-\S+Z"
ON_WORD = "reeve requests the machine again only after a change of its group, or a retry"


# For each: what `status` says, from the place to the command; and one command more, with what it says.
INCIDENTS = {
    "bad bundle": rf"! metal/bundle-0 failed, since {AT}: stage-0 bad: error: no package nginx-lite \(exit 5\) next: .*? hint: reeve logs metal/bundle-0",
    "dead zone": rf"! hold/fleet\S*listing_brake {ZONE - 4} .*?\(began {AT}\) .*?approve",
    "quota": rf"! fleet/quota-\[0-\S+ \(\d+\) refused, since {AT}: the project may have 20 machines, and has 20 next: reeve "
             rf"requests the machine again, at {AT} hint: .*?reeve scale fleet/quota",
    "expired key": rf"! fleet/cred-\[0-\S+ \(\d+\) refused, since {AT}: the access key expired yesterday next: {ON_WORD} hint: renew the "
                   r"credentials .*?reeve job retry",
    "full disk": rf"! fleet/full-\[0-4\] \(5\) refused, since {AT}: no space left for plugin full; make room on the disk of \S+/full: .*? next: reeve "
                 rf"requests the machine again, at {AT} hint: make room",
    "hung plugin": rf"! fleet/hung-\[0-1\] \(2\) creating, blocked, since {AT}: plugin hung: the plugin has not answered in time next: "
                   rf"(?:the request of reeve is in progress|reeve requests the machine again, at {AT}) hint: see whether the provider behind plugin 'hung' answers",
    "partition": rf"! metal/cut-0 unreachable, since {AT}: ssh \d+: .*? next: reeve does nothing until the machine answers: onUnreachable is not replace hint: reeve "
                 r"describe node metal/cut-0",
    "wrong image": rf"! fleet/image-\[0-\S+ \(\d+\) refused, since {AT}: there is no image debian-13.7 next: {ON_WORD} hint: correct the "
                   r"specification: reeve edit cluster/fleet",
    "clock": rf"! metal/clock-0 starting, blocked, since {AT}: .*?publickey.*? next: reeve tries again every few seconds hint: .*?check its clock",
    "unknown host key": rf"! metal/key-0 starting, blocked, since {AT}: the host key of key-0 is not known next: reeve tries again, at {AT} hint: reeve ca "
                        r"accept metal/key-0 KEY",
    "missing sudo": rf"! metal/sudo-0 starting, blocked, since {AT}: 'ops' cannot become root: sudo: a password is required next: reeve tries again, at {AT} "
                    r"hint: .*?/etc/sudoers.d/reeve",
}


@pytest.fixture(scope="module", name="world")
def incidents_world(tmp_path_factory):
    """With eleven incidents in it."""
    with contextlib.ExitStack() as stack:
        one = World(tmp_path_factory.mktemp("incidents"), stack)
        one.happen()
        yield one


@pytest.mark.parametrize("incident", INCIDENTS)
def test_status_says_it(world, incident):
    until(lambda: re.search(INCIDENTS[incident], world.run("status")), lambda: f"{world.run('status')}\n{world.manager.log.read_text()[-3000:]}", 60)


def test_a_request_that_is_under_way_is_not_due(world):
    """The plugin hangs again: what was to come has begun."""
    until(lambda: re.search(r"! fleet/hung-\S+ .*? next: the request of reeve is in progress hint:", world.run("status")), lambda: world.run("status"))


def test_a_pause_is_what_comes_next(world):
    """Of a group that is paused nothing is requested again, and no time is named."""
    world.run("pause", "fleet/quota", "-m", "the project grows")
    until(lambda: re.search(r"! fleet/quota-\[0-29\] .*? next: reeve does nothing while the cluster or group is paused hint:", world.run("status")), lambda: world.run("status"))
    world.run("resume", "fleet/quota")
    until(lambda: re.search(rf"! fleet/quota-\[0-29\] .*? next: reeve requests the machine again, at {AT}", world.run("status")), lambda: world.run("status"))


def test_a_damaged_store(world):
    """The last of this module: what is damaged is named, and what helps."""
    world.damage()
    until(lambda: "the store is damaged" in world.run("status"), world.manager.log.read_text)
    assert re.search(r"! the store is damaged and read-only: 1 of .*?hint: .*?reeve doctor", world.run("status")), world.run("status")
    assert "reeve restore FILE" in world.run("doctor")
    for path in ("/v1/fleet", "/v1/nodes?state=refused,failed", "/v1/resources?limit=5000", "/v1/holds", "/v1/jobs", "/v1/inventory/ansible"):
        answer = world.manager.get(path)
        assert answer.status == 200 and "reeve doctor" in answer.headers["Reeve-Store-Hint"], (path, answer.text[:300])
