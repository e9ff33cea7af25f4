"""What the end-to-end tests share: the binary, a folder of one's own, a terminal."""
import fcntl
import os
import pathlib
import pty
import select
import signal
import struct
import subprocess
import sys
import termios

import pytest

from manager import Manager

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))  # pylib, for all here
REEVE = pathlib.Path(os.environ.get("REEVE_BIN", ROOT / "build/reeve")).resolve()

# Nothing of the person who runs the tests may change what reeve prints.
ENVIRONMENT = {key: value for key, value in os.environ.items()
               if key not in ("NO_COLOR", "CLICOLOR_FORCE", "COLUMNS", "LC_ALL", "LC_CTYPE", "LANG",
                              "VISUAL", "EDITOR", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
               and not key.startswith("REEVE_")}
# no test talks to a manager that it has not started itself
NO_MANAGER = "unix:/nonexistent/reeved.sock"
ENVIRONMENT.update(LC_ALL="C.UTF-8", TERM="xterm", PAGER="cat",
                   PATH=f"{REEVE.parent}:{os.environ['PATH']}",
                   HOME="/proc/nobody", REEVE_URL=NO_MANAGER)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder to work in, with the examples of the tree beside it."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def reeve(folder):
    """Run reeve in the folder: reeve("validate", "-f", "x.yaml"). Options go to subprocess.run."""
    def run(*arguments, env=None, **options):
        options.setdefault("stdin", subprocess.DEVNULL if "input" not in options else None)
        if options["stdin"] is None:
            del options["stdin"]
        return subprocess.run([str(REEVE), *arguments], text=True, capture_output=True, check=False,
                              cwd=folder, env={**ENVIRONMENT, **(env or {})}, timeout=240, **options)
    return run


@pytest.fixture
def manager(tmp_path_factory):
    """A manager of one's own, ended by its number."""
    running = Manager(tmp_path_factory.mktemp("m")).start()
    yield running
    assert running.stop() in (0, None), running.log.read_text()


@pytest.fixture
def at(folder, manager):
    """What makes reeve talk to that manager."""
    return {"REEVE_URL": f"unix:{manager.socket}", "HOME": str(folder)}


@pytest.fixture
def managed(reeve, at):
    """reeve, talking to that manager."""
    def run(*arguments, env=None, **options):
        return reeve(*arguments, env={**at, **(env or {})}, **options)
    return run


def sigint_default():
    """A shell's background job ignores SIGINT, and one under nohup SIGHUP, and hands that down: a person's terminal does not."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


class Screen:
    """reeve on a terminal, with somebody before it who reads before he types."""

    def __init__(self, arguments, folder, env, columns, rows):
        self.ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.process = subprocess.Popen(  # a session of its own: Ctrl-C comes from this terminal
            ["setsid", "--ctty", "--wait", str(REEVE), *arguments], cwd=folder, stdin=theirs, stdout=theirs,
            stderr=theirs, close_fds=True, env={**ENVIRONMENT, "NO_COLOR": "1", **env},
            preexec_fn=sigint_default)
        os.close(theirs)
        self._shown = b""

    @property
    def text(self):
        """All that was shown: of all bytes, for one piece may end within a character, or between a line's CR and LF."""
        return self._shown.decode(errors="replace").replace("\r\n", "\n")

    def _read(self, seconds):
        """Read what comes next. Gives whether there was something; not so at the end."""
        if not select.select([self.ours], [], [], seconds)[0]:
            raise AssertionError("nothing more comes: " + self.text)
        try:
            more = os.read(self.ours, 65536)
        except OSError:  # Linux says EIO when the other end is closed
            return False
        self._shown += more
        return more != b""

    def expect(self, words):
        """Read until these words were shown."""
        while words not in self.text:
            assert self._read(60), f"no '{words}' in: {self.text}"
        return self

    def type(self, keys):
        """Press keys."""
        os.write(self.ours, keys.encode())
        return self

    def end(self):
        """Wait for the end; gives the exit code."""
        while self._read(60):
            pass
        os.close(self.ours)
        code = self.process.wait(60)
        return 128 - code if code < 0 else code  # ended by a signal: as a shell says it


@pytest.fixture
def screen(folder):
    """Start reeve on a terminal: screen("set", ..., env=at).expect("Apply?").type("yes\n").end()."""
    started = []

    def run(*arguments, env=None, columns=80, rows=24):
        started.append(Screen(arguments, folder, env or {}, columns, rows))
        return started[-1]
    yield run
    for one in started:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait()


@pytest.fixture
def terminal(folder):
    """Run reeve on a terminal so many columns wide. Gives (exit code, everything it printed)."""
    def run(columns, *arguments, env=None, typed=""):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen([str(REEVE), *arguments], cwd=folder, stdin=theirs, stdout=theirs,
                                   stderr=theirs, close_fds=True,
                                   env={**ENVIRONMENT, **(env or {})})
        os.close(theirs)
        os.write(ours, typed.encode())
        output = b""
        while select.select([ours], [], [], 60)[0]:
            try:
                data = os.read(ours, 65536)
            except OSError:  # Linux says EIO when the other end is closed
                break
            if not data:
                break
            output += data
        os.close(ours)
        return process.wait(60), output.decode().replace("\r\n", "\n")
    return run
