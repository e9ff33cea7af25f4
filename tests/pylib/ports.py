"""Reserves ports of this computer for programs that will listen on them."""

import collections
import socket

HELD = collections.deque()  # sockets that do not listen; the system gives their ports to no other process
MOST = 200


def free_port(host="127.0.0.1"):
    """Returns a port that is free at this address, and that the system gives to no other process before a program
    listens on it, or listens on it again. Two callers get different ports. Connections to it are refused until then."""
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    one.bind((host, 0))
    HELD.append(one)
    if len(HELD) > MOST:
        HELD.popleft().close()
    return one.getsockname()[1]
