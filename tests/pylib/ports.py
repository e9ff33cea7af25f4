"""Ports of this computer for those who are to listen on them."""

import collections
import socket

HELD = collections.deque()  # sockets that listen to nobody: their ports are given to nobody else
MOST = 200


def free_port(host="127.0.0.1"):
    """A port that nobody has there, nor is given by the system before somebody has begun to listen, or does so again; of two that ask
    each has another one. Whoever connects to it meanwhile is refused."""
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    one.bind((host, 0))
    HELD.append(one)
    if len(HELD) > MOST:
        HELD.popleft().close()
    return one.getsockname()[1]
