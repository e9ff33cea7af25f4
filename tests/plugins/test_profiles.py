"""Which plugin is shut in how: the digest decides, and a manager says what is in force (issue 6; SAFETY 7.2)."""

import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
from manager import REEVED, Manager, until  # noqa: E402
from pylib.containers import below  # noqa: E402
from pylib.proc import children  # noqa: E402

LOCAL = REEVED.parent / "plugins/local.so"
FILE = REEVED.parent / "plugins/file.so"


def plugins(manager):
    """By name, as the manager shows them."""
    listed = manager.get("/v1/plugins").json
    return {one["name"]: one for one in (listed["items"] if isinstance(listed, dict) else listed)}


def installed(folder, name, content):
    """A plugin that somebody has put into the manager's folder."""
    place = folder / "data/installed"
    place.mkdir(parents=True, exist_ok=True)
    os.chmod(folder / "data", 0o700)
    (place / f"{name}.so").write_bytes(content)


def test_what_was_built_with_the_manager_may_more(tmp_path):
    with Manager(tmp_path, control=True).start() as manager:
        found = plugins(manager)
        assert found["local"]["profile"] == "host"
        assert found["file"]["profile"] == "cloud"


def test_one_byte_more_is_somebody_elses_plugin(tmp_path):
    installed(tmp_path, "local", LOCAL.read_bytes() + b"\0")
    with Manager(tmp_path, control=True).start() as manager:
        found = plugins(manager)["local"]
        assert "/installed/" in found["path"]
        assert found["profile"] == "cloud"


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user's plugin has no user of its own")
def test_a_plugin_works_in_its_sandbox_and_goes_with_it(tmp_path):
    # the same plugin under another name: the manager has one called `file` in itself
    installed(tmp_path, "filx", FILE.read_bytes().replace(b"file\0", b"filx\0"))
    with Manager(tmp_path, "--haste", "100", control=True).start() as manager:
        manager.apply({"version": "1", "name": "shop", "groups": {
            "web": {"size": 2, "resourcePlugin": {"name": "filx"}}}})
        until(lambda: "controlGroup" in plugins(manager)["filx"].get("sandbox", {}), lambda: str(plugins(manager)["filx"]))
        one = plugins(manager)["filx"]  # the process of this tenant has said how it stands
        assert one["profile"] == "cloud", one.get("problem")
        assert one["sandbox"]["seccomp"].startswith("in force")
        assert "controlGroup" in one["sandbox"]
        waiting = one["process"]["pid"]
        inside, *_ = until(lambda: children(waiting))  # the system leaves children out while processes end
        status = pathlib.Path(f"/proc/{inside}/status").read_text()
        assert "CapEff:\t0000000000000000" in status and "Seccomp:\t2" in status
        own = (tmp_path / "data/plugins/default/filx").stat().st_uid
        assert own != 0 and f"Uid:\t{own}\t{own}\t{own}\t{own}" in status
    groups = [str(path) for path in below("/sys/fs/cgroup") if path.name == f"reeve-host-{waiting}"]
    assert not groups, groups
