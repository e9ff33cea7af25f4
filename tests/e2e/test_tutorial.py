"""docs/tutorial: what it shows compiles without a warning, and makes a cluster."""
import re
import shlex
import subprocess

import pytest

from conftest import ROOT
from manager import Manager, until

PAGE = (ROOT / "docs/tutorial/your-first-plugin.md").read_text()


def blocks(language):
    """What stands in blocks of a language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def compiled(folder, change=lambda source: source):
    """The tutorial's plugin, by the tutorial's command."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "notes.c").write_text(change("".join(blocks("c"))))
    [command] = blocks("sh")
    words = [word.replace("include", str(ROOT / "include")) for word in shlex.split(command)]
    done = subprocess.run([*words, "-Werror"], cwd=folder, capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stderr
    return folder / "notes.so"


@pytest.fixture
def manager(tmp_path):
    """A manager in whose folder the tutorial's plugin is installed."""
    compiled(tmp_path / "data/installed")
    running = Manager(tmp_path, "--haste", "100", control=True).start()
    yield running
    assert running.stop() in (0, None), running.log.read_text()


def document(**more):
    return {"name": "first", "version": "1", "groups": {"web": {
        "size": 3, "resourcePlugin": {"name": "notes"}, "resourceProperties": {"color": "green"}, **more}}}


def folders(manager):
    return sorted(path.name for path in (manager.folder / "data/plugins/default/notes").glob("[0-9a-f]*"))


def ready(manager, count):
    until(lambda: manager.get("/v1/clusters/first").json.get("status", {}).get("machines", {}).get("ready") == count)


def test_the_first_plugin(manager):
    [yaml] = blocks("yaml")
    assert "name: notes" in yaml and "size: 3" in yaml and "color: green" in yaml
    manager.apply(document())
    ready(manager, 3)
    before = folders(manager)
    assert len(before) == 3
    wrong = manager.post("/v1/apply", {"documents": [document(resourceProperties={"colour": "green"})]})
    assert wrong.status == 422 and "unknown field 'colour'" in wrong.text and "did you mean 'color'" in wrong.text
    wrong = manager.post("/v1/apply", {"documents": [document(resourceProperties={"color": "pink"})]})
    assert wrong.status == 422 and "allowed are red|green|blue" in wrong.text
    gone = manager.folder / "data/plugins/default/notes" / before[0]
    (gone / "tags").unlink()
    gone.rmdir()
    until(lambda: len(folders(manager)) == 3)
    assert set(folders(manager)) > set(before[1:]) and before[0] not in folders(manager)
    answer = manager.post("/v1/apply?allow=destroy:2", {"documents": [document(size=1)]})
    assert answer.status == 200, answer.text
    until(lambda: len(folders(manager)) == 1)


def tried(folder, reeve):
    """What the tutorial says of the conformance kit."""
    [command] = blocks("console")
    assert command == "reeve plugin test ./notes.so\n"
    return reeve("plugin", "test", str(folder / "notes.so"))


def test_it_keeps_its_promises(tmp_path, reeve):
    compiled(tmp_path)
    done = tried(tmp_path, reeve)
    assert done.returncode == 0, done.stdout
    assert "FAIL" not in done.stdout and " 0 failed" in done.stdout


def test_what_it_says_to_leave_out_is_seen(tmp_path, reeve):
    compiled(tmp_path, lambda source: source.replace(
        "if (!machine_read(call, id, cluster, &machine)) {", "(void)cluster;\n(void)machine;\nif (0) {"))
    done = tried(tmp_path, reeve)
    assert done.returncode == 1
    assert "FAIL  other-cluster" in done.stdout and "destroy, for another cluster, of" in done.stdout


def test_a_double_create_is_said_in_words(tmp_path, reeve):
    """Each call makes a folder of its own."""
    compiled(tmp_path, lambda source: source.replace(
        "static int32_t notes_create(void *self, struct reeve_call *call, const struct reeve_wish_v1 *request)\n{",
        "static int32_t notes_create(void *self, struct reeve_call *call, const struct reeve_wish_v1 *given)\n{\n"
        "    static unsigned count;\n    char token[32];\n    struct reeve_wish_v1 changed = *given;\n"
        "    const struct reeve_wish_v1 *request = &changed;\n").replace(
        '    (void)self;\n    path_make(folder, request->token, "");',
        '    (void)self;\n    snprintf(token, sizeof(token), "%.8s%u", given->token.bytes, __atomic_add_fetch(&count, 1, 5));\n'
        '    changed.token = text(token);\n    path_make(folder, request->token, "");'))
    done = tried(tmp_path, reeve)
    assert done.returncode == 1
    assert "called twice with one token, create made two machines" in done.stdout
