"""Man pages are made from the programs: each verb and program has one, and it says what --help says."""
import json
import re
import shutil
import subprocess

import pytest

from conftest import REEVE

FOLDER = REEVE.parent / "man"
PROGRAMS = ("reeved", "reeve-controller", "reeve-host", "reeve-signer", "reeve-fetch", "reeve-playbook", "reeve-store")


def shown(path):
    """The page as a reader sees it; groff reports what it does not understand."""
    run = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-rLL=100n", "-P-cbou", str(path)], capture_output=True, text=True, check=True, timeout=240)
    assert run.stderr == "", run.stderr
    return run.stdout


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff (package groff-base) reads the pages")
def test_every_page_is_read_without_a_warning(reeve):
    table = json.loads(reeve("help", "-o", "json").stdout)
    names = {f"reeve-{verb['name']}.1" for verb in table["verbs"] if not verb["hidden"]} | {"reeve.1"}
    assert {path.name for path in FOLDER.glob("*.1")} >= names
    assert {f"{name}.8" for name in PROGRAMS} <= {path.name for path in FOLDER.glob("*.8")}
    for path in sorted(FOLDER.glob("*.[18]")):
        text = shown(path)
        assert re.search(r"^NAME\n +\S+ - \S", text, re.MULTILINE), path
    text = shown(FOLDER / "reeve-scale.1")
    scale = next(verb for verb in table["verbs"] if verb["name"] == "scale")
    for flag in scale["flags"]:
        assert "--" + flag["name"] in text
    for example in scale["examples"]:
        assert example["command"] in text
