"""Agents of Debian's serf on loopback addresses."""
import json
import subprocess

from .ports import free_port


class Agent:
    """One agent. All agents of a test are on the loopback interface, each with a separate port."""

    def __init__(self, folder, name, tags=(), join=None, rpc_auth="", name_shown=None, address="127.0.0.1"):
        self.name, self.address, self.port, self.rpc = name, address, free_port(address), free_port(address)
        self.log = (folder / f"{name}.log").open("wb")
        config = folder / f"{name}.json"
        config.write_text(json.dumps({"rpc_auth": rpc_auth} if rpc_auth else {}))
        words = ["serf", "agent", "-node", name_shown or name, "-bind", f"{address}:{self.port}",
                 "-rpc-addr", f"{address}:{self.rpc}", "-profile=local", "-config-file", config]
        for tag in tags:
            words += ["-tag", tag]
        if join:
            words += ["-retry-join", f"{join.address}:{join.port}", "-retry-interval", "1s"]
        self.words = words
        self.begin()

    def begin(self):
        """Starts or restarts the agent."""
        self.process = subprocess.Popen(self.words, stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL)

    def call(self, *words):
        """Runs a serf command for this agent."""
        return subprocess.run(["serf", words[0], f"-rpc-addr={self.address}:{self.rpc}", *words[1:]], check=True, capture_output=True,
                              timeout=60).stdout.decode()

    def end(self):
        """Kills the agent."""
        self.process.kill()
        self.process.wait()
