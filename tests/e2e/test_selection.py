"""Machines that failed in a job, and those that are, or are not, as was wanted at a revision (UX.md 3.2; decision 0062)."""
import json
import subprocess

import pytest

from conftest import ENVIRONMENT, REEVE
from manager import Manager, until


ADDRESSES = "127.0.14.1", "127.0.14.2"  # nobody has to be there


class Some:
    """A manager that keeps clusters of simulated machines."""

    def __init__(self, manager, folder):
        self.manager, self.folder = manager, folder

    def run(self, *words, code=0, document=None):
        """Its output and what it says besides."""
        done = subprocess.run([str(REEVE), *words], capture_output=True, text=True, check=False, timeout=400, cwd=self.folder,
                              input=None if document is None else json.dumps(document),
                              stdin=subprocess.DEVNULL if document is None else None,
                              env={**ENVIRONMENT, "REEVE_URL": f"unix:{self.manager.socket}"})
        assert done.returncode == code, f"{done}"
        return done.stdout, done.stderr

    def names(self, *words, code=0):
        """The machines that are meant."""
        return [name.removeprefix("node/") for name in self.run("get", "nodes", *words, "-o", "name", code=code)[0].split()]

    def apply(self, name, **groups):
        """A cluster: the revision, which is the number of its job."""
        answer = self.manager.post("/v1/apply", {"documents": [{"name": name, "version": "1", "groups": groups}],
                                                 "allow": {"destroy": 9, "replace": 9}})
        assert answer.status == 200, answer.text
        return int(self.manager.get(f"/v1/clusters/{name}").json["metadata"]["revision"])

    def status(self, number):
        """Of a job of one cluster; {} where there is none."""
        answer = self.manager.get(f"/v1/jobs/{number}")
        return answer.json["items"][0]["status"] if answer.status == 200 else {}


@pytest.fixture(name="some")
def a_manager(tmp_path):
    """One that keeps them."""
    with Manager(tmp_path, "--haste", "100", control=True).start() as manager:
        yield Some(manager, tmp_path)


def sim(size, **more):
    """A group of them."""
    return {"size": size, "resourcePlugin": {"name": "sim"}, **more}


def static(size, *addresses):
    """One that has machines for these addresses alone: the others are refused."""
    return {"size": size, "resourcePlugin": {"name": "static"},
            "resourceProperties": {"addresses": list(addresses)}}


def test_those_that_failed_in_a_job(some):
    some.apply("lab", web=sim(2))
    number = some.apply("shop", web=sim(3), db=static(4, *ADDRESSES))
    until(lambda: len(some.status(number).get("problems", [])) == 2, lambda: str(some.status(number)))
    failed = [f"shop/{one['name']}" for one in some.status(number)["problems"]]
    numbers = sorted(int(one.rpartition("-")[2]) for one in failed)
    assert some.status(number)["failedNodes"] == f"db-[{numbers[0]}{'-' if numbers[1] == numbers[0] + 1 else ','}{numbers[1]}]"
    for words in ([], ["-c", "shop"], ["-g", "shop/db"], ["--state", "refused"], ["-l", "group=db"]):
        assert some.names("--failed-of", str(number), *words) == failed, words
    assert some.names("--failed-of", f"job/{number}") == failed
    assert some.names("--failed-of", str(number), "-g", "shop/web") == []
    assert some.names("--failed-of", str(number), failed[0]) == failed[:1]
    # exec asks every cluster, and those that know nothing of the job have no machine that is meant
    out, err = some.run("exec", "--failed-of", str(number), "--dry-run", "--", "true")
    assert out.count("! not on") == 2 and "it is refused" in out and "lab" not in out + err
    # another change takes its place: who failed in it stays known
    second = some.apply("shop", web=sim(4), db=static(4, *ADDRESSES))
    until(lambda: some.status(second).get("machines", {}).get("ready") == 6, lambda: str(some.status(second)))
    assert some.status(number)["state"] == "superseded"
    assert some.names("--failed-of", str(number)) == some.names("--failed-of", str(second)) == failed
    # and machines that were made since are others, whatever they are called
    third = some.apply("shop", web=sim(5))
    until(lambda: "ended" in some.status(third), lambda: str(some.status(third)))
    assert "failedNodes" not in some.status(third)
    assert some.names("--failed-of", str(number)) == some.names("--failed-of", str(third)) == []
    assert "R0780" in some.run("exec", "--failed-of", str(third), "--", "true", code=4)[1]
    fourth = some.apply("shop", web=sim(5), db=static(4, *ADDRESSES))
    until(lambda: some.status(fourth))  # a pass makes the job of a change
    until(lambda: len(some.names("--failed-of", str(fourth))) == 2, lambda: str(some.status(fourth)))
    assert len(some.names("-g", "shop/db")) == 4 and some.names("--failed-of", str(number)) == []


def test_those_that_are_as_was_wanted(some):
    first = some.apply("shop", web=sim(2, image="debian-12"), db=sim(1))
    until(lambda: "ended" in some.status(first), lambda: str(some.status(first)))
    web, db = ["shop/web-0", "shop/web-1"], ["shop/db-0"]
    assert some.names("--revision", "current") == db + web and some.names("--revision", "!current") == []
    assert some.names("--revision", str(first)) == db + web and some.names("--revision", f"!{first}") == []
    some.run("pause", "shop")
    second = some.apply("shop", web=sim(2, image="debian-13"), db=sim(1))
    until(lambda: some.status(second), lambda: "no job")
    assert some.names("--revision", "!current", "-c", "shop") == web and some.names("--revision", "current") == db
    assert some.names("--revision", str(second)) == db and some.names("--revision", f"!{second}") == web
    assert some.names("--revision", str(first), "-c", "shop") == db + web
    assert some.names("--revision", "!current", "-g", "shop/db") == []
    out, _ = some.run("exec", "--revision", "!current", "--dry-run", "--", "true")
    assert out == "batch 1: 2 nodes, web-[0-1]\n"
    some.run("resume", "shop")
    until(lambda: "ended" in some.status(second), lambda: str(some.status(second)))
    assert some.names("--revision", "!current") == [] and sorted(some.names("--revision", f"!{first}")) == web


@pytest.mark.parametrize("words, code, said", [
    (["--failed-of", "999999"], 4, "there is no job/999999"), (["--failed-of", "999999", "-c", "shop"], 4, "no job/999999 of shop"),
    (["--failed-of", "newest"], 2, "'newest' is not a job"), (["--failed-of", "0"], 2, "is not a job"),
    (["--revision", "999999"], 4, "the desired state at revision 999999 is not known"),
    (["--revision", "!999999", "-c", "shop"], 4, "the desired state of shop at revision 999999"), (["--revision", "old"], 2, "'old' is not a revision"),
    (["--revision", "!"], 2, "'!' is not a revision"), (["--revision", "!0"], 2, "is not a revision")])
def test_what_is_not_known_is_said(some, words, code, said):
    some.apply("shop", web=sim(1))
    some.apply("lab", web=sim(1))
    for verb in (["get", "nodes"], ["exec"], ["bootstrap", "run"]):
        err = some.run(*verb, *words, *(["--dry-run", "--", "true"] if verb == ["exec"] else []), code=code)[1]
        assert said in " ".join(err.split()) or (verb != ["get", "nodes"] and "R0780" in err), (verb, err)
