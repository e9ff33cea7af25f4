"""reeve simulate: files in the production planner and engine, on virtual time; the same input, the same bytes.

Requirements: N3.
"""
import json
import re
import pathlib
import signal
import subprocess
import time

import pytest

from conftest import ENVIRONMENT, REEVE, sigint_default

SHOP = """version: "1"
name: shop
groups:
  db: {size: 3, image: debian-12, resourcePlugin: {name: openstack}}
  web: {size: 6, zones: [a, b, c], image: debian-12, resourcePlugin: {name: aws}}
"""
FAULTS = ["death", "stop", "mass-death", "zone-lost", "outage", "capacity", "throttled", "unanswered",
          "list-lies", "list-partial", "foreign", "manager-killed", "approve"]


@pytest.fixture
def simulate(reeve, folder):
    """Run it on two groups of two plugins: simulate("death@10m=3", duration="2h")."""
    (folder / "shop.yaml").write_text(SHOP)

    def run(*faults, more=(), code=None, **flags):
        words = [word for fault in faults for word in ("--fault", fault)]
        words += [word for name, value in flags.items() for word in ("--" + name, str(value))]
        done = reeve("simulate", "-f", "shop.yaml", *words, *more)
        if code is not None:
            assert done.returncode == code, done.stdout + done.stderr
        return done
    return run


@pytest.fixture
def result(simulate):
    """The same, for programs: (exit code, the result)."""
    def run(*faults, **flags):
        done = simulate(*faults, more=("-o", "json"), **flags)
        [document] = json.loads(done.stdout)
        return done.returncode, document
    return run


def timeless(text):
    """Without what depends on the luck of the engine: lengths of time, and blanks behind them."""
    return re.sub(r"\b(\d+[dhms])+\b *", "TIME ", text)


def group(document, name):
    [found] = [row for row in document["groups"] if row["group"] == name]
    return found


def test_whole_text(simulate):
    text = """\
1 cluster, 2 groups, 9 machines; 1h, seed 1
all machines are simulated, whichever plugin they use: openstack, aws

  1s       shop (2 groups): creates 9 machines (free_slot)
  31s      shop (2 groups): all 9 machines are ready, after 31s
  10m      fault death@10m=9: 9 machines
  10m32s   shop (2 groups): held by listing_brake: 9 of 9 machines are missing
  10m42s   shop/db: listing_brake no longer holds
  10m54s   shop/db: a listing lacks 3 machines
  10m54s   shop: listing_brake no longer holds
  10m56s   shop/web: a listing lacks 6 machines
  10m56s   shop/web: listing_brake no longer holds
  13m58s   shop (2 groups): destroys 9 machines (lost)
  14m      shop (2 groups): creates 9 machines (free_slot)
  14m30s   shop (2 groups): all 9 machines are ready, after 4m30s

after each fault
  death@10m=9: every group has its machines again 4m30s after the fault began

at the end
  GROUP       WANTED   READY    MADE   ENDED    LOST  LONGEST
  shop/db          3       3       6       0       3  4m30s
  shop/web         6       6      12       0       6  4m30s

everything is as wanted
"""
    assert timeless(simulate("death@10m=9", code=0).stdout) == timeless(text)



def test_without_faults_nothing_is_lost(result):
    code, document = result()
    assert code == 0
    assert document["asWanted"] and document["holds"] == [] and document["faults"] == []
    assert [(row["plugin"], row["wanted"], row["ready"], row["made"], row["ended"], row["lost"])
            for row in document["groups"]] == [("openstack", 3, 3, 3, 0, 0), ("aws", 6, 6, 6, 0, 0)]


def test_deaths_are_healed(result):
    code, document = result("death@10m=3")
    [fault] = document["faults"]
    assert code == 0 and document["asWanted"]
    assert sum(row["lost"] for row in document["groups"]) == 3
    assert sum(row["made"] for row in document["groups"]) == 12
    assert fault["struck"] == 3 and fault["harmed"]
    assert 60_000 < fault["healedMs"] < 30 * 60_000  # virtual: windows, calls and the start of a machine


def test_a_short_outage_changes_nothing(result):
    code, document = result("outage@15m+2m")
    assert code == 0 and document["callsUnanswered"] > 0
    assert sum(row["made"] for row in document["groups"]) == 9
    assert not document["faults"][0]["harmed"] and document["holds"] == []
    assert [event["event"] for event in document["events"] if event["atMs"] > 60_000] == \
        ["fault", "faultEnded"]


def test_an_outage_of_one_plugin_leaves_the_other(result):
    _, both = result("outage@15m+5m")
    _, one = result("outage@15m+5m=aws")
    assert 0 < one["callsUnanswered"] < both["callsUnanswered"]


def test_a_lost_zone_comes_back(result):
    code, document = result("zone-lost@10m=a")
    assert code == 0
    assert group(document, "web")["lost"] >= 2 and group(document, "db")["lost"] == 0
    assert document["asWanted"]


def test_listings_that_lie_end_nothing(result):
    code, document = result("list-lies@10m+10m")
    assert [row["ended"] + row["lost"] for row in document["groups"]] == [0, 0]
    assert [row["made"] for row in document["groups"]] == [3, 6]
    assert "listing_brake" in {event.get("rule") for event in document["events"]}
    assert code == 0


def test_a_killed_manager_makes_nothing_twice(result):
    code, document = result("manager-killed@1s+1m")  # in the middle of the first calls
    assert code == 0 and sum(row["made"] for row in document["groups"]) == 9


def test_no_capacity_until_the_end_is_missing(simulate, result):
    done = simulate("death@10m=2", "capacity@10m+50m", code=9)
    assert "machines are missing" in done.stdout
    assert "held by refused" in done.stdout and "\nheld\n" in done.stdout
    code, document = result("death@10m=2", "capacity@10m+50m")
    assert code == 9 and not document["asWanted"] and document["callsRefused"] > 0
    assert all(hold["advice"] and hold["why"] for hold in document["holds"])


def test_what_is_foreign_is_held_and_kept(result):
    code, document = result("foreign@10m=2")
    assert code == 9 and [hold["rule"] for hold in document["holds"]] == ["foreign"]
    assert [row["ended"] for row in document["groups"]] == [0, 0]


def test_all_is_lost_where_nothing_is_replaced_unasked(reeve):
    done = reeve("simulate", "-f", "examples/web-db.yaml", "--fault", "mass-death=100")
    assert done.returncode == 9
    assert "hold/shop/db:unhealed, since" in done.stdout and "held by listing_brake" in done.stdout


def test_the_same_seed_gives_the_same_bytes(simulate):
    faults = ("death@10m=4", "list-partial@20m=40", "throttled@30m", "unanswered@31m")
    one, two, other = (simulate(*faults, more=("-o", "json"), seed=seed).stdout for seed in (7, 7, 8))
    assert one == two
    assert one != other


def test_faults_that_there_are_not(simulate):
    done = simulate("deth=2", code=2)
    assert "error[R0556]: 'deth' is not a fault; there are: " + ", ".join(FAULTS) in done.stderr
    assert "did you mean 'death'?" in done.stderr and done.stdout == ""
    assert all(f"\n  {word}" in simulate(more=("--help",)).stdout for word in FAULTS)


@pytest.mark.parametrize("fault", ["death=0", "death=x", "death@x", "death+5m", "death@2h", "mass-death=101",
                                   "zone-lost", "zone-lost=", "outage=", "outage+0s", "manager-killed=1"])
def test_faults_that_cannot_be(simulate, fault):
    done = simulate(fault, code=2)
    assert f"error[R0557]: fault '{fault}': " in done.stderr
    assert f"hint: write {fault.split('=')[0].split('@')[0].split('+')[0]}[@TIME]" in done.stderr


def test_faults_of_what_the_files_do_not_have(simulate):
    """They would strike nothing, and all would seem well: what there is instead is said, of all that are wrong."""
    done = simulate("zone-lost@20m=X", "outage@5m=nobody", "zone-lost=a", code=2)
    assert "error[R0557]: fault 'zone-lost@20m=X': no group of the files has zone 'X'" in done.stderr
    assert "hint: zones of the files: a, b" in done.stderr and done.stdout == ""
    assert "fault 'outage@5m=nobody': no group of the files has plugin 'nobody'" in done.stderr and "hint: plugins of the files: " in done.stderr


@pytest.mark.parametrize("flags", [{"duration": "x"}, {"duration": "31d"}, {"duration": "0s"}, {"seed": "x"}])
def test_wrong_flags(simulate, flags):
    assert "error[R0004]" in simulate(code=2, **flags).stderr


def test_a_file_with_mistakes_gets_its_carets(reeve):
    done = reeve("simulate", "-f", "examples/seed-broken.yaml")
    plan = reeve("plan", "--offline", "-f", "examples/seed-broken.yaml")
    assert done.returncode == 3 and "^^^" in done.stderr
    assert (done.stdout, done.stderr) == (plan.stdout, plan.stderr)


def test_a_file_without_a_cluster(reeve, folder):
    (folder / "t.yaml").write_text('kind: NodeGroupTemplate\nname: t\nsize: 2\n')
    done = reeve("simulate", "-f", "t.yaml")
    assert done.returncode == 3 and "error[R0560]" in done.stderr


def test_lines_are_short_and_few(simulate):
    faults = [f"{fault}@{10 + 3 * i}m" for i, fault in enumerate(FAULTS) if fault != "zone-lost"]
    faults += [f"death@{60 + 10 * i}m" for i in range(12)]
    text = simulate(*faults, duration="4h").stdout
    timeline = text.split("\n\n")[1].splitlines()
    assert max(map(len, text.splitlines())) <= 80
    assert len([line for line in timeline if line[2] != " "]) <= 40
    full = simulate(*faults, more=("--full",), duration="4h").stdout
    assert "--full" in text and "--full" not in full and len(full) > len(text)


def test_lines_and_json_show_the_same(simulate, result):
    lines = [json.loads(line) for line in simulate("death=2", more=("-o", "jsonl")).stdout.splitlines()]
    _, document = result("death=2")
    assert lines[:-1] == document.pop("events")
    assert lines[-1] == document


def test_a_month_and_many_groups(reeve, folder):
    (folder / "big.yaml").write_text('version: "1"\nname: big\ngroups:\n' + "".join(
        f"  g{i}: {{size: 1, image: x, resourcePlugin: {{name: aws}}}}\n" for i in range(60)))
    done = reeve("simulate", "-f", "big.yaml", "--fault", "death=5")
    assert done.returncode == 0 and "everything is as wanted" in done.stdout
    assert "groups more: --full" in done.stdout


def catches(pid, number):
    """Has a process set a handler for this signal?"""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(status.split("SigCgt:")[1].split()[0], 16) >> (number - 1) & 1


def test_ctrl_c_ends_it(folder):
    (folder / "shop.yaml").write_text(SHOP.replace("size: 6", "size: 4000"))
    command = [str(REEVE), "simulate", "-f", "shop.yaml", "--duration", "30d", "--fault", "list-partial+29d"]
    with subprocess.Popen(command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, preexec_fn=sigint_default) as process:
        deadline = time.monotonic() + 60
        while not catches(process.pid, signal.SIGINT):  # from then on Ctrl-C is answered by reeve
            assert time.monotonic() < deadline
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
