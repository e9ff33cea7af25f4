"""Stages that the tool before reeve has run: its empty stage-complete counts where the file says so, and once (E19)."""
import pytest

from conftest import COUNT, STATE, USER, bundle, needs_root, wait

pytestmark = needs_root
PLACES = {"own": f"{STATE}/stage-0", "home": f"home/{USER}/stage-0", "root": "root/stage-0"}


def mark(node, place, content=""):
    """A marker of old, and what else lies there."""
    folder = node.path(place)
    folder.mkdir(parents=True)
    (folder / "bootstrap.sh").write_text("echo of old >>/root/starts\n")
    (folder / "stage-complete").write_text(content)
    return folder / "stage-complete"


def stages(folder, *trusted):
    """Three of them, which count themselves."""
    return [{"tar": bundle(folder / f"{i}.tar", COUNT + f"echo stage {i}\n"), "markers": int(i in trusted)} for i in range(3)]


def marked(one):
    """What was told of markers."""
    return [line.split(" ", 1)[1] for line in one.lines() if line.startswith("marked ")]


@pytest.mark.parametrize("place", PLACES)
def test_nobody_trusts_a_marker_unasked(node, run, tmp_path, place):
    """The stage runs."""
    mark(node, PLACES[place])
    one = run(node, stages(tmp_path), user=USER)
    assert one.wait() == "done" and not marked(one)
    assert node.read("root/starts").split() == ["0", "1", "2"]


@pytest.mark.parametrize("place", PLACES)
def test_a_marker_that_is_trusted_counts(node, run, tmp_path, place):
    """For its stage alone: the others run, whichever have one. And again nothing runs, and whoever looks is told the same."""
    mark(node, PLACES[place])
    mark(node, PLACES[place].replace("stage-0", "stage-2"))
    wanted = stages(tmp_path, 0, 1)
    for _ in range(2):
        one = run(node, wanted, user=USER)
        assert one.wait() == "done", one.lines()
        assert marked(one) == [f"0 /{PLACES[place]}/stage-complete"]
        assert "same stage 0" in one.lines() and not one.output(0)
        assert node.read("root/starts").split() == ["1", "2"]
    assert node.read(f"{STATE}/stage-0/stage-complete").startswith("reeve1 ")


@pytest.mark.parametrize("content", ["reeve", "\n", None])
def test_what_is_no_empty_file_is_no_marker(node, run, tmp_path, content):
    """Something in it, or a link to what is empty."""
    marker = mark(node, PLACES["root"], content or "")
    if content is None:
        marker.unlink()
        marker.symlink_to("/dev/null")
    one = run(node, stages(tmp_path, 0)[:1])
    assert one.wait() == "done" and not marked(one)
    assert node.read("root/starts").split() == ["0"]


def test_what_lies_in_our_folder_and_is_not_ours_runs(node, run, tmp_path):
    """Whatever a marker there says."""
    mark(node, PLACES["own"], "done by hand\n")
    one = run(node, stages(tmp_path, 0)[:1])
    assert one.wait() == "done" and not marked(one)
    assert node.read("root/starts").split() == ["0"]


def test_a_marker_counts_once(node, run, tmp_path):
    """Another bundle or argument runs, and the first one again behind it, though the marker of old is still there."""
    mark(node, PLACES["root"])
    wanted = stages(tmp_path, 0)[:1]
    assert run(node, wanted).wait() == "done"
    assert node.read("root/starts") == ""
    for argument in ("other", None):
        one = run(node, [{**wanted[0], "args": [argument]}] if argument else wanted)
        assert one.wait() == "done" and not marked(one)
    assert node.read("root/starts").split() == ["0", "0"]


def test_a_word_runs_it_again(node, run, tmp_path):
    """Once for each word; and a word that came first is heard first."""
    mark(node, PLACES["root"])
    wanted = stages(tmp_path, 0)[:1]
    assert run(node, wanted).wait() == "done"
    for _ in range(2):
        one = run(node, wanted, request="r-1", **{"from": 0})
        assert one.wait() == "done" and not marked(one)
        assert node.read("root/starts").split() == ["0"]
    one = run(node, wanted)
    assert one.wait() == "done" and not marked(one)
    assert node.read("root/starts").split() == ["0"]


def test_a_word_is_heard_before_a_marker_counts(node, run, tmp_path):
    """On a node that reeve has never seen."""
    mark(node, PLACES["root"])
    one = run(node, stages(tmp_path, 0)[:1], request="r-1", **{"from": 0})
    assert one.wait() == "done" and not marked(one)
    assert node.read("root/starts").split() == ["0"]


def test_what_reeve_has_begun_is_as_reeve_knows_it(node, run, tmp_path):
    """A stage that has failed stays so, whatever somebody puts there later."""
    bad = {"tar": bundle(tmp_path / "bad.tar", COUNT + "exit 3\n")}
    assert run(node, [bad]).wait() == "failed"
    mark(node, PLACES["root"])
    one = run(node, [{**bad, "markers": 1}])
    assert one.wait() == "failed" and not marked(one)
    assert node.read("root/starts").split() == ["0"]


def test_who_dies_behind_it_leaves_it_taken(node, run, tmp_path):
    """The answer was never heard: whoever comes next hears the same."""
    mark(node, PLACES["root"])
    first = run(node, stages(tmp_path, 0), hold=tmp_path / "never", **{"with": 6})
    wait(lambda: node.read(f"{STATE}/stage-0/stage-complete"))
    first.kill()
    one = run(node, stages(tmp_path, 0))
    assert one.wait() == "done"
    assert marked(one) == ["0 /root/stage-0/stage-complete"]
    assert node.read("root/starts").split() == ["1", "2"]
