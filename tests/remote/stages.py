"""Stages of a node by its programs alone, on a folder, without a session."""
import contextlib
import hashlib
import io
import re
import subprocess
import tarfile


class Stages:
    """A node's folder, what `stage` and `look` say there, and what they find before the system's programs."""

    def __init__(self, folder, programs):
        self.programs = programs
        self.folder = folder / "node"
        self.bin = folder / "bin"
        self.bin.mkdir(parents=True)
        self.chain = "ab" * 32
        self.shell = "sh"
        self.name = "web"
        self.tar, self.head = b"", b""

    def texts(self, *names):
        """Of these programs."""
        return [(self.programs / f"{name}.sh").read_text().replace("LC_ALL=C PATH=", f"LC_ALL=C PATH={self.bin}:") for name in names]

    def tool(self, name, text):
        """A program that is found before one of the system's."""
        path = self.bin / name
        path.write_text(f"#!/bin/sh\nPATH=${{PATH#*:}}\n{text}\n")
        path.chmod(0o755)

    def bundle(self, script, links=None):
        """The one that stage 0 is of."""
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            info = tarfile.TarInfo("bootstrap.sh")
            info.size = len(script)
            tar.addfile(info, io.BytesIO(script.encode()))
            for name, to in (links or {}).items():
                info = tarfile.TarInfo(name)
                info.type, info.linkname = tarfile.SYMTYPE, to
                tar.addfile(info)
        self.tar = out.getvalue()

    def digest(self):
        """Of the bundle."""
        return hashlib.sha256(self.tar).hexdigest()

    def begin(self, attempt=1, start=1, timeout=240, idempotent=0, offset=0, variables=0, **how):
        """`stage`, which is sent the bundle, begins an attempt unless it has begun, and follows it; `how` of its process."""
        common, stages, send, stage, run = self.texts("common", "stages", "send", "stage", "run")
        stage = stage.replace("setsid sh ", f"setsid {self.shell} ")
        words = [0, self.digest(), self.chain, attempt, start, timeout, idempotent, offset, 20, len(self.tar), 0, 1, variables, self.name]
        main = 'common=$3 main=$4; eval "$common"; shift 2; eval "$main"'
        command = [self.shell, "-c", main, "reeve", self.folder, "1 2 3 4", common, stages + send + stage, run]
        how = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **how}
        one = subprocess.Popen([*how.pop("before", []), *command, *map(str, words)], **how)
        if one.stdin:
            with contextlib.suppress(BrokenPipeError):  # who has the bundle, or nothing to read it by
                one.stdin.write(self.head + self.tar)
                one.stdin.close()
            one.stdin = None
        return one

    def run(self, **how):
        """Its answer, without the first line; and the output."""
        out, error = self.begin(**how).communicate(timeout=240)
        return error.decode().split("\n")[2:-2], out.decode().split("\nreeve1\n", 1)[-1]

    def state(self):
        """How stage 0 stands, as `look` says."""
        return re.search(r"^stage 0 (.*)$", "\n".join(self.look()), re.MULTILINE)[1].split()

    def look(self, stages=1, facts=0):
        """The lines of it."""
        command = ["sh", "-c", "".join(self.texts("common", "stages", "facts", "look")), "reeve"]
        done = subprocess.run([*command, self.folder, "1 2 3 4", "root", "-", "0", str(stages), str(facts), self.digest()],
                              capture_output=True, check=True, timeout=240)
        return done.stdout.decode().split("\n")[2:-2]
