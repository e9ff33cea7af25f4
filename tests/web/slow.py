"""A network between browser and manager on which everything takes its time: each piece of bytes that a client sends arrives late."""

import collections
import contextlib
import socket
import threading
import time


class Slow:
    """Listens on a port of loopback and forwards to another one; what clients send is delayed, and with it every answer."""

    def __init__(self, to_port, seconds):
        self.to_port, self.seconds, self.sockets = to_port, seconds, []
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                near, _ = self.listener.accept()
                try:
                    far = socket.create_connection(("127.0.0.1", self.to_port))
                except OSError:  # the manager is being started again
                    near.close()
                    continue
                self.sockets += [near, far]
                threading.Thread(target=self.pump, args=(near, far, self.seconds), daemon=True).start()
                threading.Thread(target=self.pump, args=(far, near, 0), daemon=True).start()

    @staticmethod
    def pump(source, target, seconds):
        """Forward until one side closes. A piece waits for its own time: those that follow closely are not delayed by the sum."""
        waiting = collections.deque()
        with contextlib.suppress(OSError):
            while True:
                source.settimeout(max(0.001, waiting[0][0] - time.monotonic()) if waiting else None)
                try:
                    data = source.recv(65536)
                except TimeoutError:
                    data = None
                if data:
                    waiting.append((time.monotonic() + seconds, data))
                while waiting and (data == b"" or waiting[0][0] <= time.monotonic()):
                    target.sendall(waiting.popleft()[1])
                if data == b"":
                    break
        for one in (source, target):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def end(self):
        """Close the listener and every connection."""
        for one in (self.listener, *self.sockets):
            with contextlib.suppress(OSError):
                one.close()
