"""No answer for people is wider than their terminal: plan, apply, status, why, tree, describe, job watch and get on terminals of
40, 80 and 200 columns, with long names, long causes and long hints; off a terminal nothing is folded (UX.md 3.5, U9)."""

import json
import re

import pytest

from test_rolls import World

CLUSTER = "a-shop-whose-name-is-long"
BAKING = "storefront-of-the-north"
REFUSED = "stockroom-of-the-south"
LONG = ("this was changed because somebody has asked for it in the meeting of the morning, and because "
        "the machines of before are too small for what they have to bear in the weeks before the holidays")
CODE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
WIPED = re.compile(r"[^\n]*\r\x1b\[K")  # as the note that an answer is slow
WIDTHS = [40, 80, 200]


def document():
    """A group that bakes, one whose plugin nobody has, and one that is as it should be."""
    plugin = {"name": "file"}
    return {"name": CLUSTER, "version": "1", "labels": {"team": "those-who-sell", "tier": "what-customers-see"}, "groups": {
        BAKING: {"size": 4, "image": "debian-12", "resourcePlugin": plugin,
                 "rollout": {"surge": 2, "canary": 1, "bake": "1h", "maxFail": 1}},
        REFUSED: {"size": 2, "resourcePlugin": {"name": "a-plugin-that-nobody-has-installed"}},
        "quiet": {"size": 1, "image": "debian-12", "resourcePlugin": plugin}}}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A cluster in which something waits, and something cannot be."""
    one = World(tmp_path_factory.mktemp("fold"))
    try:
        one.cli("apply", "-f", "-", "--yes", "--detach", "--allow-missing-plugin", "-m", LONG, document_=document())
        one.until(lambda: len(one.machines("debian-12")) == 5 and "ready 4/4" in one.cli("tree"))
        one.cli("set", f"nodegroup/{CLUSTER}/{BAKING}", "image=debian-13", "--allow", "replace=4", "--detach", "-m", LONG)
        one.until(lambda: "bake" in one.holds())
        yield one
    finally:
        assert one.manager.stop() in (0, None), one.manager.log.read_text()


def too_wide(text, columns):
    """Lines that are wider, though a blank would have been there to break at."""
    text = WIPED.sub("", text)
    lines = [CODE.sub("", line).rstrip("\r") for line in text.replace("\r\n", "\n").split("\n")]
    return [line for line in lines if len(line) > columns and len(re.sub(r"^[ !+~\-x|`─│├└]+ ", "", line).split()) > 1]


def shown(world, terminal, columns, *words):
    """What stands on the terminal; nothing of it is too wide."""
    code, text = terminal(columns, *words, env={"REEVE_URL": f"unix:{world.manager.socket}", "HOME": str(world.folder)})
    assert code in (0, 9), text
    assert not too_wide(text, columns), (words, too_wide(text, columns))
    return text


def newest_job(world):
    """The job that was begun last."""
    return str(max(one["status"]["revision"] for one in world.manager.get("/v1/jobs").json["items"]))


@pytest.mark.parametrize("columns", WIDTHS)
@pytest.mark.parametrize("words", [
    ("status",), ("tree",), ("tree", "--unfold"), ("tree", "--ascii"), ("why", f"cluster/{CLUSTER}"),
    ("why", f"nodegroup/{CLUSTER}/{BAKING}"), ("why", f"{CLUSTER}/{BAKING}-0"), ("why", f"hold/{CLUSTER}/{BAKING}:bake"),
    ("why", f"hold/{CLUSTER}/{BAKING}:bake", "--replay"), ("why", CLUSTER, "--replay", "--all"), ("why", "job/{job}"),
    ("describe", f"cluster/{CLUSTER}"), ("describe", f"cluster/{CLUSTER}", "--origin"),
    ("describe", f"node/{CLUSTER}/{BAKING}-0"), ("get", "holds"), ("get", "jobs"), ("get", "nodegroups")], ids=" ".join)
def test_what_is_there(world, terminal, words, columns):
    words = [word.replace("{job}", newest_job(world)) for word in words]
    assert len(shown(world, terminal, columns, *words).splitlines()) > 0


@pytest.mark.parametrize("columns", WIDTHS)
def test_what_goes_on(world, screen, columns):
    """The picture is drawn over what stood there: it goes up as many rows as it took."""
    job = newest_job(world)
    one = screen("job", "watch", job, columns=columns, env={"REEVE_URL": f"unix:{world.manager.socket}"})
    one.expect("\x1b[J").expect("continues\n").type("\x03")
    assert one.end() == 130, one.text
    assert not too_wide(one.text.split("^C")[0], columns), too_wide(one.text, columns)
    first = WIPED.sub("", re.split(r"\x1b\[\d+A\x1b\[J", one.text)[0])
    rows = sum(max(1, -(-len(line) // columns)) for line in first[first.index("job/"):].splitlines())
    assert f"\x1b[{rows}A\x1b[J" in one.text, (rows, one.text)


@pytest.mark.parametrize("columns", WIDTHS)
def test_what_is_to_be(world, terminal, screen, columns):
    """plan and apply, with their question."""
    wide = document()
    wide["groups"]["quiet"]["labels"] = {f"a-label-with-a-name-{i}": "a-value-that-is-rather-long" for i in range(6)}
    wide["groups"]["quiet"]["size"] = 3
    path = world.folder / "wide.yaml"
    path.write_text(json.dumps(wide))
    for words in (("plan", "-f", str(path)), ("plan", "-f", str(path), "--full"), ("plan", "--offline", "-f", str(path)),
                  ("plan", "--offline", "--full", "-f", str(path))):
        shown(world, terminal, columns, *words)
    one = screen("apply", "-f", str(path), columns=columns, env={"REEVE_URL": f"unix:{world.manager.socket}"})
    asked = one.expect("diff: ").text
    assert not too_wide(asked, columns), too_wide(asked, columns)
    one.type("no\n")
    assert one.end() == 11, one.text


def test_off_a_terminal_nothing_is_folded(world):
    assert any(len(line) > 200 for line in world.cli("status").splitlines())
    assert f"why        {LONG}\n" in world.cli("describe", f"cluster/{CLUSTER}")
