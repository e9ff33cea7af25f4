"""Standard streams and files in every odd state."""
import os
import stat
import subprocess

import pytest

from conftest import ENVIRONMENT, REEVE


def test_version_is_what_scripts_expect(reeve):
    assert reeve("version").stdout == "reeve 0.1.0\n"
    assert reeve("--version").stdout == "reeve 0.1.0\n"


def test_standard_input(reeve, folder):
    text = (folder / "examples/minimal.yaml").read_text()
    assert reeve("validate", "-f", "-", input=text).returncode == 0
    run = reeve("validate", "-f", "-", input=text.replace("size", "szie"))
    assert run.returncode == 3
    assert "<stdin>:" in run.stderr


def test_process_substitution(folder):
    run = subprocess.run(["bash", "-c", f"{REEVE} validate -f <(cat examples/minimal.yaml)"], cwd=folder,
                         env=ENVIRONMENT, text=True, capture_output=True, check=False)
    assert run.returncode == 0, run.stderr


def test_json_is_read(reeve, folder):
    (folder / "a.json").write_text('{"version": "1", "name": "a", "empty": true}')
    assert reeve("validate", "-f", "a.json").returncode == 0
    (folder / "a.json").write_text('{"version": "1", "name": "a", "empty": true,}')
    assert reeve("validate", "-f", "a.json").returncode == 3


def refused(run, words, code=1):
    assert run.returncode == code, run.stderr
    assert words in run.stderr
    assert run.stdout == ""


def test_files_that_are_none(reeve, folder):
    os.mkfifo(folder / "pipe")
    refused(reeve("validate", "-f", "nope.yaml"), "'nope.yaml' cannot be read: No such file or directory")
    refused(reeve("validate", "-f", "examples"), "'examples' is a folder")
    refused(reeve("validate", "-f", "pipe"), "'pipe' is a named pipe")
    refused(reeve("validate", "-f", "/dev/null"), "is a device or a socket")
    (folder / "empty.yaml").write_text("")
    refused(reeve("validate", "-f", "empty.yaml"), "empty.yaml:1:1: error[R0117]", 3)


def test_file_without_the_right_to_read(folder):
    path = folder / "secret.yaml"
    path.write_text("a: 1\n")
    path.chmod(0)
    command = [str(REEVE), "validate", "-f", "secret.yaml"]
    if os.geteuid() == 0:  # root reads everything, unless it may not
        command = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all",
                   *command]
    run = subprocess.run(command, cwd=folder, env=ENVIRONMENT, text=True, capture_output=True,
                         check=False)
    refused(run, "'secret.yaml' cannot be read: Permission denied")


def test_large_file_is_refused_before_it_is_read(reeve, folder):
    with open(folder / "large.yaml", "wb") as file:
        file.truncate(1 << 40)
    refused(reeve("validate", "-f", "large.yaml"), "error[R0013]")


def test_full_disk_is_reported(folder):
    with open("/dev/full", "w") as full:
        run = subprocess.run([str(REEVE), "plan", "--offline", "-f", "examples/seed.yaml"], cwd=folder,
                             stdout=full, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT,
                             check=False)
    assert run.returncode == 1
    assert run.stderr.startswith("reeve: error[R0014]: standard output cannot be written: No space left")


def test_closed_output_is_reported(folder):
    run = subprocess.run(["bash", "-c", f"{REEVE} version >&-"], cwd=folder, env=ENVIRONMENT, text=True,
                         capture_output=True, check=False)
    assert run.returncode == 1
    assert "error[R0014]: standard output is closed" in run.stderr


def test_closed_streams_never_reach_a_file(folder):
    """init with standard output closed: the new file must not become standard output."""
    subprocess.run(["bash", "-c", f"{REEVE} init a.yaml >&- 2>&- <&-"], cwd=folder, env=ENVIRONMENT,
                   check=False)
    assert (folder / "a.yaml").read_bytes() == (folder / "examples/minimal.yaml").read_bytes().replace(b"cluster.yaml", b"a.yaml")


def test_closed_pipe_ends_quietly_with_the_verdict(folder):
    for command, code in [("plan --offline --full -f examples/gpu-templates.yaml", 0),
                          ("explain cluster --json-schema", 0)]:
        script = f"{REEVE} {command} | true; echo ${{PIPESTATUS[0]}}"
        run = subprocess.run(["bash", "-c", script], cwd=folder, env=ENVIRONMENT, text=True,
                             capture_output=True, check=False)
        assert run.stderr == ""
        assert run.stdout == f"{code}\n"
    script = f"{REEVE} validate -f examples/seed-broken.yaml 2>&1 | head -n 1; echo ${{PIPESTATUS[0]}}"
    run = subprocess.run(["bash", "-c", script], cwd=folder, env=ENVIRONMENT, text=True,
                         capture_output=True, check=False)
    assert run.stdout.splitlines()[1:] == ["3"]


def test_data_and_words_go_apart(reeve):
    run = reeve("plan", "--offline", "-v", "-f", "examples/seed.yaml", "-o", "name")
    assert run.stdout.count("\n") == 4
    assert "read examples/seed.yaml" in run.stderr
    assert reeve("plan", "--offline", "-vq", "-f", "examples/seed.yaml", "-o", "name").stderr == ""
    assert reeve("validate", "-q", "-f", "examples/seed.yaml").stdout == ""


def test_init_file_mode(reeve, folder):
    os.umask(0o022)
    reeve("init", "a.yaml")
    assert stat.S_IMODE((folder / "a.yaml").stat().st_mode) == 0o644


def test_no_descriptor_of_ours_is_needed(folder):
    run = subprocess.run(["bash", "-c", f"ulimit -n 8; {REEVE} validate -f examples/seed.yaml"],
                         cwd=folder, env=ENVIRONMENT, text=True, capture_output=True, check=False)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("times", [1, 3])
def test_same_input_same_bytes(reeve, times):
    arguments = ["plan", "--offline", "-f", "examples/gpu-templates.yaml", "-o", "json"]
    first = reeve(*arguments).stdout
    assert all(reeve(*arguments).stdout == first for _ in range(times))
