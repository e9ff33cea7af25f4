"""Is a recorded history of clients, reads and writes of versioned objects, linearizable? (REQUIREMENTS R8)

Each object is a register with a revision. Every write has a value of its own, and every revision is told by a watch, so
the order of the writes of an object is known, and the check needs no search: the order of revisions must explain every
answer (each read is behind the write that it saw, and before the next one), and must not contradict time (what had ended
before something else began is not behind it).

    write, OK             its value is one version of the object; with If-Match, the one right behind that revision
    write, refused        its value is no version; with If-Match, another version than the expected one was there in time
    write, lost           no answer came: at most one version, not after the manager was gone
    write, turned away    503: nothing was done
    read, OK              a version, with its revision
    watch                 every version once, in order, from where it began

Pure: no input but what is handed in, no time of its own. test_histories.py plants violations that must be found."""

import bisect
import dataclasses

OK, REFUSED, LOST, TURNED_AWAY = "ok", "refused", "lost", "turned away"


@dataclasses.dataclass(frozen=True)
class Operation:
    """One request: what it was, when it was sent and answered (or: when its manager was gone), and what came of it."""
    client: str
    target: str
    kind: str  # "read" or "write"
    began: float
    ended: float
    outcome: str
    value: str = ""  # written, or read
    revision: int = 0  # of what was read
    expected: int = 0  # If-Match of a write; 0: none


def stream_faults(streams):
    """Watches against each other. streams: {watcher: {target: [(revision, value), ...] as they were told}}."""
    faults = []
    targets = sorted({target for stream in streams.values() for target in stream})
    for target in targets:
        whole = sorted({version for stream in streams.values() for version in stream.get(target, [])})
        for watcher, stream in sorted(streams.items()):
            told = stream.get(target, [])
            if told != sorted(set(told)):
                faults.append(f"{watcher}: versions of {target} out of order, or twice")
            missed = sorted(set(whole) - set(told))
            if missed:
                faults.append(f"{watcher}: was not told version {missed[0]} of {target}")
        revisions = [revision for revision, _ in whole]
        if len(set(revisions)) != len(revisions):
            faults.append(f"{target}: two values at one revision")
    return faults


def _write_faults(operation, versions, by_value):
    """One write against the versions of its object."""
    name = f"{operation.client}: write '{operation.value}' of {operation.target}"
    revisions = by_value.get(operation.value, [])
    if operation.outcome == OK and not revisions:
        return [f"{name} was acknowledged, and is lost"]
    if len(revisions) > 1:
        return [f"{name} was done {len(revisions)} times"]
    if operation.outcome in (REFUSED, TURNED_AWAY) and revisions:
        return [f"{name} was {operation.outcome}, and done all the same"]
    if not revisions or not operation.expected:
        return []
    at = bisect.bisect_left(versions, (revisions[0], ""))
    before = versions[at - 1][0] if at else 0
    return [f"{name} expected revision {operation.expected}, and overwrote {before}"] if before != operation.expected else []


def _refusal_faults(operation, versions, earliest):
    """A write with If-Match was refused: was there a newer version while it was under way? earliest: when one of the versions
    from each place on was first sent."""
    if operation.kind != "write" or operation.outcome != REFUSED or not operation.expected:
        return []
    at = bisect.bisect_left(versions, (operation.expected + 1, ""))
    if at < len(versions) and earliest[at] < operation.ended:
        return []
    return [f"{operation.client}: write '{operation.value}' of {operation.target} was refused, although {operation.expected} "
            "was its newest revision"]


def _read_faults(operation, present, began_of):
    """One read against the versions of its object."""
    name = f"{operation.client}: read of {operation.target}"
    if (operation.revision, operation.value) not in present:
        return [f"{name} saw '{operation.value}' at {operation.revision}, which was never written"]
    if began_of.get(operation.value, float("-inf")) >= operation.ended:
        return [f"{name} saw '{operation.value}' before it was written"]
    return []


def _time_faults(points):
    """points: [(began, ended, revision, is a write, name)] of one object: no order of revisions against time."""
    faults = []
    ends = sorted(points, key=lambda point: point[1])
    newest, at = (0, False, ""), 0
    for began, _, revision, is_write, name in sorted(points):
        while at < len(ends) and ends[at][1] < began:
            newest = max(newest, (ends[at][2], ends[at][3], ends[at][4]))
            at += 1
        if revision < newest[0] or (revision == newest[0] and is_write and newest[2] != name):
            faults.append(f"{name} at revision {revision} began after {newest[2]} at {newest[0]} had ended")
    return faults


def violations(operations, streams):
    """Everything that contradicts linearizability, in words; empty: nothing."""
    faults = stream_faults(streams)
    for target in sorted({operation.target for operation in operations}):
        versions = sorted({version for stream in streams.values() for version in stream.get(target, [])})
        mine = [operation for operation in operations if operation.target == target]
        began_of = {operation.value: operation.began for operation in mine if operation.kind == "write"}
        by_value, points, present = {}, [], set(versions)
        earliest = [began_of.get(value, float("-inf")) for _, value in versions]
        for at in range(len(earliest) - 2, -1, -1):
            earliest[at] = min(earliest[at], earliest[at + 1])
        for revision, value in versions:
            by_value.setdefault(value, []).append(revision)
            if value not in began_of and (revision, value) != versions[0]:
                faults.append(f"{target}: version {revision} '{value}' was never written")
        for operation in mine:
            if operation.kind == "write":
                faults += _write_faults(operation, versions, by_value) + _refusal_faults(operation, versions, earliest)
                revision = (by_value.get(operation.value) or [0])[0]
            else:
                faults += _read_faults(operation, present, began_of) if operation.outcome == OK else []
                revision = operation.revision if operation.outcome == OK else 0
            if revision:
                points.append((operation.began, operation.ended, revision, operation.kind == "write",
                               f"{operation.client}: {operation.kind} '{operation.value}'"))
        faults += _time_faults(points)
    return faults
