# SPDX-License-Identifier: ISC
"""Ask electd(8) who leads, and act as the leader.

    import electd

    electd.leader()                     # Leader(name='web3', ...), or None
    electd.status()["verdict"]          # 'ok'
    for event in electd.watch():        # async for event in electd.awatch():
        print(event["event"])

    with electd.lead("web") as lead:    # waits until this node leads
        while True:
            lead.check()                # raises LeadLost in time
            work(lead.token)            # a short step

    async with electd.alead("web") as lead:
        await work(lead.token)          # is cancelled in time

All functions take the name of a cluster, or socket=PATH. Without either they
find the daemon as electctl(1) does: by ELECTD_SOCKET, else the only one in
/run/electd.

A lead relies on deadlines, which only some users get: see DEADLINES in
electd-protocol(7). Before its deadline no other node leads. lead.check() raises
LeadLost a margin before the last deadline that has come, by default half of the
time that deadlines are given for (0.7 s with the default timing.lease of 2 s),
and as soon as electd wants to hand over or has gone. The rest of that time is
there to stop. At the end of the block the deadline is given back, so nothing
that the block has started may act as the leader any more: the next leader does
not wait longer.

Nothing here stops work that is under way, nor a process that is stopped right
after check(). What you write to does, if it compares lead.token: see FENCING in
electd(8). `electctl run` kills a command in time.

Under the guarantee "component" two nodes may lead at once and no lead has a
deadline. lead() refuses that, unless even_if_two is True.
"""
from __future__ import annotations

import asyncio
import contextlib
import functools
import glob
import json
import math
import os
import select
import socket as sockets
import sys
import threading
import time
from typing import (Any, AsyncIterator, Dict, Generator, Iterable, Iterator,
                    List, NamedTuple, Optional, Tuple, Type, TypedDict, TypeVar,
                    Union, cast, get_args, get_origin, get_type_hints)

__all__ = ["ElectdError", "Event", "Lead", "LeadLost", "Leader", "Status",
           "Unreachable", "alead", "awatch", "lead", "leader", "status",
           "watch"]

_DIRECTORY = "/run/electd"
_PROTOCOL = 3         # of electd-protocol(7)
_LINE_MAX = 4 << 20   # bytes of an answer; a thousand peers take 500 KiB
_INTEGER_MAX = 1 << 63  # of the daemon
_ANSWER_NS = 1_000_000_000  # the longest wait for an answer
_LEAVE_NS = 200_000_000     # likewise, when a deadline was given back
_TRY_NS = 50_000_000        # from one attempt to connect to the next
_CODE_UNREACHABLE = 3       # electd has no place for us
_NEVER = sys.maxsize        # a moment that does not come


class ElectdError(Exception):
    """electd refuses, or its answer makes no sense."""


class Unreachable(ElectdError):
    """No daemon answers, or it has no place for another client."""


class LeadLost(ElectdError):
    """The lead is over, or may be over before the margin is."""


class Leader(NamedTuple):
    """The leader, as this node knows it."""

    name: str
    id: int
    address: str
    term: int
    token: Optional[int]  # None: not known yet
    is_here: bool         # it is the node that answers


# The answers: electd-protocol(7) explains each key. What these classes say is
# checked of each answer; other keys may be there as well.

_Object = Optional[Dict[str, Any]]


class Named(TypedDict):
    id: int
    name: str
    address: str


class Trouble(TypedDict):
    id: Optional[int]
    name: Optional[str]
    why: str


class Quorum(TypedDict):
    voters: int
    quorum: int
    votes: int
    missing: List[Trouble]


class Member(Named):
    configured_role: str
    priority: int


class Node(Member):
    incarnation: int
    duplicate: bool
    bypassed: bool
    stopping: bool
    standby: _Object
    checks: _Object
    ineligible: Optional[str]
    no_carrier_on: Optional[str]
    removed_by: Optional[int]
    damped: bool
    damped_ms: Optional[float]
    state_file: str
    has_vote: Optional[bool]


class Peer(Member):
    up: bool
    evidence: Optional[str]
    since_ms: Optional[float]
    heard_ms: Optional[float]
    rtt_ms: Optional[float]
    neighbour: bool
    tree: Optional[str]
    session: bool
    duplicate: bool
    differs: bool
    other_version: bool
    multicast: bool
    behind: bool
    older_file: bool
    other_key: bool
    unresolved: bool
    found_at: Optional[str]
    incarnation: Optional[int]
    is_voter: Optional[bool]
    votes: Optional[bool]
    eligible: Optional[bool]
    standby: _Object
    damped: bool
    term: int
    leader: Optional[int]
    sent: int
    received: int
    resent: int


class Status(TypedDict):
    """The answer of status()."""

    verdict: str
    troubles: List[Trouble]
    cluster: str
    guarantee: str
    algorithm: str
    topology: str
    config_version: int
    config_term: int
    file_config_version: int
    proposed: _Object
    term: int
    token: Optional[int]
    leader: Optional[Named]
    role: str
    state: str
    reason: str
    reason_name: Optional[str]
    since_ms: float
    lease_ms: Optional[float]
    age_ms: Optional[int]
    agree: Optional[int]
    reachable: int
    eligible: Optional[int]
    nodes: int
    peers_up: int
    quorum: Optional[Quorum]
    tree: _Object
    multicast: _Object
    discovery: _Object
    self: int
    node: Node
    version: str
    uptime_ms: float
    peers: List[Peer]


class _EventAlways(TypedDict):
    event: str
    self: int
    mono_ns: int
    time: str


class Event(_EventAlways, total=False):
    """A line of watch(). Which keys it has, `event` says."""

    term: int
    token: Optional[int]
    leader: Optional[int]
    previous: Optional[int]
    reason: str
    reason_name: Optional[str]
    hands_over: bool
    valid_ms: float
    until_boot_ns: int
    messages: Dict[str, int]
    ms: float
    on: bool
    votes: int
    quorum: int
    voters: int
    peer: int
    node: int
    evidence: str
    standby_reason: Optional[str]
    state_file: str


# What this module needs of other answers, and of events that tell of a lead.
_Answer = TypedDict("_Answer", {
    "term": int, "token": Optional[int], "leader": Optional[Named],
    "self": int})
_Change = TypedDict("_Change", {
    "term": int, "token": Optional[int], "leader": Optional[int],
    "self": int})
_Deadline = TypedDict("_Deadline", {
    "term": int, "token": int, "valid_ms": float, "until_boot_ns": int})
_Guarantee = TypedDict("_Guarantee", {"guarantee": str})
_Version = TypedDict("_Version", {"protocol": int})

_T = TypeVar("_T")
_hints = functools.lru_cache(maxsize=None)(get_type_hints)


def _misfit(value: object, kind: Any, where: str) -> Optional[str]:
    """What of the value is not of this kind, or None."""
    origin = get_origin(kind)
    parts: Iterable[Tuple[object, object, Any]] = ()  # key, value, kind
    if origin is Union:
        found = [_misfit(value, one, where) for one in get_args(kind)]
        return None if None in found else found[0]
    if origin is list and isinstance(value, list):
        parts = ((i, one, get_args(kind)[0]) for i, one in enumerate(value))
    elif origin is dict and isinstance(value, dict):
        parts = ((key, one, get_args(kind)[1]) for key, one in value.items())
    elif hasattr(kind, "__required_keys__") and isinstance(value, dict):
        parts = ((key, value.get(key, ...), one)
                 for key, one in _hints(kind).items()
                 if key in value or key in kind.__required_keys__)
    elif isinstance(value, (int, float)) and not abs(value) < _INTEGER_MAX:
        return f"{where} is too large"
    elif not (kind is Any or type(value) is kind
              or kind is float and type(value) is int):
        return f"{where} is missing, or not of its type"
    bad = (_misfit(one, of, f"{where}.{key}") for key, one, of in parts)
    return next(filter(None, bad), None)


def _checked(answer: Dict[str, Any], kind: Type[_T]) -> _T:
    bad = _misfit(answer, kind, "the answer of electd")
    if bad:
        raise ElectdError(bad)
    return cast(_T, answer)


def _no_constant(name: str) -> None:
    raise ValueError(name)  # NaN and the like are no JSON


def _now() -> int:
    """ns of the clock of deadlines, which counts the time of a suspended
    host."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def _is_alive(path: str) -> bool:
    """True if a daemon listens there, even one that we may not ask."""
    try:
        _Talk(path).socket.close()
    except ElectdError as error:
        return isinstance(error.__cause__, (BlockingIOError, PermissionError))
    return True


def _find(cluster: Optional[str], socket: Optional[str]) -> str:
    """The path of the query socket, found as electctl(1) does."""
    if cluster is not None:
        if socket is not None:
            raise ValueError("give a cluster or a socket")
        if not cluster or "/" in cluster or cluster.endswith(".admin"):
            raise ValueError(f"{cluster!r} is not the name of a cluster")
        return f"{_DIRECTORY}/{cluster}.sock"
    named = socket or os.environ.get("ELECTD_SOCKET")
    if named:
        return named
    found = sorted(path for path in glob.glob(f"{_DIRECTORY}/*.sock")
                   if not path.endswith(".admin.sock"))
    if len(found) > 1:
        found = [path for path in found if _is_alive(path)] or found[:1]
    if len(found) > 1:
        raise ElectdError("several clusters have a daemon here, name one: "
                          + ", ".join(found))
    if not found:
        raise Unreachable(f"no socket in {_DIRECTORY}: is electd running?")
    return found[0]


class _Pause(NamedTuple):
    """What waits is written once, for both kinds of programs: as a generator,
    which yields for how long it has to."""

    socket: Optional[sockets.socket]  # until this is readable
    until: int                        # at the latest

    def seconds(self) -> Optional[float]:
        """None: for ever."""
        if self.until == _NEVER:
            return None
        return max(0, self.until - _now()) / 1e9


_Steps = Generator[_Pause, None, _T]


def _run(steps: _Steps[_T]) -> _T:
    try:
        while True:
            pause = next(steps)
            seconds = pause.seconds()
            poll = select.poll()
            if pause.socket is not None:
                poll.register(pause.socket, select.POLLIN)
            poll.poll(None if seconds is None else math.ceil(seconds * 1e3))
    except StopIteration as end:
        return cast(_T, end.value)
    finally:
        steps.close()


async def _arun(steps: _Steps[_T]) -> _T:
    try:
        while True:
            await _apause(next(steps))
    except StopIteration as end:
        return cast(_T, end.value)
    finally:
        steps.close()


async def _apause(pause: _Pause) -> None:
    loop = asyncio.get_running_loop()
    waiter = loop.create_future()

    def wake() -> None:
        if not waiter.done():
            waiter.set_result(None)

    if pause.socket is not None:
        loop.add_reader(pause.socket, wake)
    try:
        await asyncio.wait([waiter], timeout=pause.seconds())
    finally:
        if pause.socket is not None:
            loop.remove_reader(pause.socket)


class _Talk:
    """A connection to the daemon, which never blocks."""

    def __init__(self, path: str) -> None:
        self.is_over = False  # the daemon has gone
        self._rest = b""
        self.socket = sockets.socket(sockets.AF_UNIX)
        self.socket.setblocking(False)
        try:
            self.socket.connect(path)
        except OSError as error:
            self.socket.close()
            why = f"{path}: {error.strerror or error}"
            if isinstance(error, (BlockingIOError, ConnectionRefusedError,
                                  FileNotFoundError)):
                raise Unreachable(f"{why}: is electd running?") from error
            raise ElectdError(why) from error

    def send(self, **request: object) -> None:
        """Sends a request. If the daemon has gone, lines() will tell."""
        try:
            self.socket.sendall(json.dumps(request).encode() + b"\n")
        except OSError:
            pass

    def lines(self) -> List[Dict[str, Any]]:
        """All lines that have come, not more than _LINE_MAX at once. Raises
        Unreachable if the daemon has gone and has left none."""
        while len(self._rest) <= _LINE_MAX:
            try:
                come = self.socket.recv(1 << 16)
            except BlockingIOError:
                break
            except OSError:
                come = b""
            self.is_over = come == b""
            if self.is_over:
                break
            self._rest += come
        *whole, self._rest = self._rest.split(b"\n")
        if len(self._rest) > _LINE_MAX:
            raise ElectdError("the answer of electd is too long")
        if self.is_over and not whole:
            raise Unreachable("electd has gone")
        return [self._line(line) for line in whole]

    @staticmethod
    def _line(line: bytes) -> Dict[str, Any]:
        try:
            answer = json.loads(line, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise ElectdError("the answer of electd is no JSON object")
        if "error" in answer:
            is_full = answer.get("code") == _CODE_UNREACHABLE
            raise (Unreachable if is_full else ElectdError)(
                f"electd refuses: {answer['error']}")
        return answer

    def answer(self) -> _Steps[Dict[str, Any]]:
        """Waits for the answer to a request."""
        until = _now() + _ANSWER_NS
        while True:
            for answer in self.lines():
                return answer
            if _now() >= until:
                raise Unreachable("electd does not answer")
            yield _Pause(self.socket, until)


def _meet(path: str, verb: str) -> _Steps[_Talk]:
    """Connects to a daemon that speaks our protocol, and asks it. The answer
    is the next line."""
    talk = _Talk(path)
    try:
        talk.send(verb="version")
        version = _checked((yield from talk.answer()), _Version)
        if version["protocol"] != _PROTOCOL:
            raise ElectdError(f"electd speaks protocol {version['protocol']},"
                              f" this module {_PROTOCOL}")
        talk.send(verb=verb)
    except BaseException:
        talk.socket.close()
        raise
    return talk


def _ask(path: str, verb: str) -> _Steps[Dict[str, Any]]:
    talk = yield from _meet(path, verb)
    with talk.socket:
        return (yield from talk.answer())


def leader(cluster: Optional[str] = None, *,
           socket: Optional[str] = None) -> Optional[Leader]:
    """The leader as this node knows it, or None. It may be another one by the
    time you read this."""
    answer = _checked(_run(_ask(_find(cluster, socket), "leader")), _Answer)
    node = answer["leader"]
    if node is None:
        return None
    return Leader(node["name"], node["id"], node["address"], answer["term"],
                  answer["token"], node["id"] == answer["self"])


def status(cluster: Optional[str] = None, *,
           socket: Optional[str] = None) -> Status:
    """What this node knows of the cluster: `status` of electd-protocol(7)."""
    return _checked(_run(_ask(_find(cluster, socket), "status")), Status)


def _events(talk: _Talk) -> _Steps[List[Event]]:
    while True:
        events = [_checked(line, Event) for line in talk.lines()]
        if events:
            return events
        yield _Pause(talk.socket, _NEVER)


def watch(cluster: Optional[str] = None, *,
          socket: Optional[str] = None) -> Iterator[Event]:
    """Yields the present state and then each change, and raises Unreachable
    when the daemon has gone. Events promise nothing: to act as the leader, use
    lead()."""
    talk = _run(_meet(_find(cluster, socket), "watch"))
    with talk.socket:
        while True:
            yield from _run(_events(talk))


async def awatch(cluster: Optional[str] = None, *,
                 socket: Optional[str] = None) -> AsyncIterator[Event]:
    """The same, for asyncio."""
    talk = await _arun(_meet(_find(cluster, socket), "watch"))
    with talk.socket:
        while True:
            for event in await _arun(_events(talk)):
                yield event


class Lead:
    """The lead of this node, in a block of lead() or alead(). Once lost it
    stays so, also if this node leads again. Several threads may use it."""

    token: int  # higher for each later lead: pass it to what you write to
    term: int   # of the election by which this node leads now
    until_boot_ns: Optional[int]  # the last deadline; None: there is none

    def __init__(self, talk: _Talk, is_quorum: bool,
                 margin: Optional[float]) -> None:
        self.token = self.term = 0
        self.until_boot_ns = None
        self._talk = talk
        self._is_quorum = is_quorum
        self._margin = margin
        self._span = 0  # ns from when the deadline was given to its end
        self._leads = False  # as far as electd has said
        self._hands_over = False
        self._has_begun = False
        self._is_followed = False  # by _Follower, which takes what comes
        self._has_given_back = False
        self._why: Optional[str] = None  # why it is lost
        self._process = os.getpid()
        self._lock = threading.Lock()

    def check(self) -> None:
        """Raises LeadLost if the block must stop what it does as the leader."""
        if self.left() == 0:
            raise LeadLost(self._why)

    def left(self) -> float:
        """For how many seconds check() will not raise, as far as is known now:
        until the deadline but for the margin. 0.0: the lead is lost;
        math.inf: there is no deadline."""
        if os.getpid() != self._process:
            self._why = "it belongs to the process that forked this one"
            return 0.0
        with self._lock:
            if self._why is None and not self._is_followed:
                self._take_all()
            return self._judge()

    def _judge(self) -> float:
        left = self._end() - _now() if self._is_quorum else math.inf
        if left <= 0:
            self._lose("the lease may end")
        return 0.0 if self._why is not None else left / 1e9

    def _end(self) -> int:
        """When check() begins to raise, without a later deadline."""
        early = (self._span // 2 if self._margin is None
                 else int(self._margin * 1e9))
        return (self.until_boot_ns or 0) - early

    def _lose(self, why: str) -> None:
        if self._has_begun and self._why is None:
            self._why = why

    def _take_all(self) -> None:
        """Takes what has come."""
        try:
            for line in self._talk.lines():
                if self._why is None:
                    self._take(line)
            if self._talk.is_over:
                raise Unreachable("electd has gone")
        except ElectdError as error:
            if not self._has_begun:
                raise
            self._lose(str(error))

    def _take(self, line: Dict[str, Any]) -> None:
        kind = line.get("event")
        if kind == "deadline":
            deadline = _checked(line, _Deadline)
            if self._take_lead(deadline["term"], deadline["token"]):
                self.until_boot_ns = deadline["until_boot_ns"]
                self._span = int(deadline["valid_ms"] * 1e6)
        elif kind == "handover":
            self._take_handover(line.get("on") is not False)
        elif kind in ("state", "leader", "no-leader"):
            change = _checked(line, _Change)
            leads = change["leader"] == change["self"]
            if leads and change["token"] is not None:
                self._take_lead(change["term"], change["token"])
                self._take_handover(line.get("hands_over", self._hands_over))
            else:
                self._leads = self._hands_over = False
                self.until_boot_ns = None
                self._lose("this node no longer leads")

    def _take_lead(self, term: int, token: int) -> bool:
        """False: it is not the lead that the block began in."""
        if self._has_begun and token != self.token:
            self._lose("this lead is over, and this node leads anew")
            return False
        self.term, self.token, self._leads = term, token, True
        return True

    def _take_handover(self, is_on: bool) -> None:
        self._hands_over = is_on
        if is_on:
            self._lose("this node hands over")

    def _begins(self) -> bool:
        """True if the block begins."""
        self._take_all()
        if not self._leads or self._hands_over:
            return False
        if self._is_quorum and self.until_boot_ns is None:
            return False
        if self._is_quorum and (self._margin or 0) * 1e9 >= self._span:
            raise ValueError("the margin must be less than"
                             f" {self._span / 1e9} s: choose a longer"
                             " timing.lease")
        self._has_begun = not self._is_quorum or _now() < self._end()
        return self._has_begun

    def _give_back(self) -> None:
        """Gives all deadlines back. A process that was forked in the block has
        none to give."""
        with self._lock:
            self._why = self._why or "the block has ended"
        if (self._is_quorum and not self._has_given_back
                and os.getpid() == self._process):
            self._has_given_back = True
            self._talk.send(verb="release", leaves=True)

    def _leave(self) -> _Steps[None]:
        """Does that and disconnects, when electd has answered: while it writes
        it may not read any more from a client that has disconnected."""
        self._give_back()
        until = _now() + _LEAVE_NS
        try:
            while (self._has_given_back and _now() < until and not any(
                    "released" in line for line in self._talk.lines())):
                yield _Pause(self._talk.socket, until)
        except ElectdError:
            pass
        finally:
            self._talk.socket.close()


def _try(path: str, even_if_two: bool, margin: Optional[float],
         give_up: int) -> _Steps[Optional[Lead]]:
    """Waits until this node leads. None: a deadline has come that is of no
    use, as the node hands over or the end is near, or it is time to give up."""
    talk = yield from _meet(path, "status")
    with contextlib.ExitStack() as undo:
        undo.callback(talk.socket.close)
        met = _checked((yield from talk.answer()), _Guarantee)
        is_quorum = met["guarantee"] == "quorum"
        if not is_quorum and not even_if_two:
            raise ElectdError(
                f"{path}: this cluster has guarantee = \"component\", so two"
                " nodes may lead at once; even_if_two=True leads all the same")
        held = Lead(talk, is_quorum, margin)
        undo.callback(held._give_back)
        talk.send(verb="watch", **({"holds": True} if is_quorum else {}))
        while not held._begins():
            if held.until_boot_ns is not None or _now() >= give_up:
                yield from held._leave()
                return None
            yield _Pause(talk.socket, give_up)
        undo.pop_all()
    return held


def _begin(cluster: Optional[str], socket: Optional[str], even_if_two: bool,
           margin: Optional[float], timeout: Optional[float]) -> _Steps[Lead]:
    """The steps of lead() before its block."""
    if margin is not None and not margin > 0:
        raise ValueError("the margin must be more than 0 s")
    give_up = _NEVER if timeout is None else _now() + int(timeout * 1e9)
    while True:
        try:
            held = yield from _try(
                _find(cluster, socket), even_if_two, margin, give_up)
            if held is not None:
                return held
            if _now() >= give_up:
                raise TimeoutError("this node did not lead in time")
        except Unreachable:
            if _now() >= give_up:
                raise
        yield _Pause(None, min(give_up, _now() + _TRY_NS))


@contextlib.contextmanager
def lead(cluster: Optional[str] = None, *, socket: Optional[str] = None,
         even_if_two: bool = False, margin: Optional[float] = None,
         timeout: Optional[float] = None) -> Iterator[Lead]:
    """Waits until this node leads, also for the daemon, and runs the block.

    margin: so many seconds before the deadline check() raises LeadLost.
    timeout: after so many seconds without a lead it raises TimeoutError, and
    Unreachable if no daemon answers.
    """
    held = _run(_begin(cluster, socket, even_if_two, margin, timeout))
    try:
        yield held
    finally:
        _run(held._leave())


class _Follower:
    """Cancels the task that holds a lead when that is lost."""

    def __init__(self, held: Lead) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._held = held
        self._task = task
        self._loop = asyncio.get_running_loop()
        self._timer: Optional[asyncio.TimerHandle] = None
        self._has_cancelled = False
        self._cancels_before = 0  # by others
        if sys.version_info >= (3, 11):
            self._cancels_before = task.cancelling()
        held._is_followed = True
        self._loop.add_reader(held._talk.socket, self._look)
        self._look()

    def _look(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        with self._held._lock:
            self._held._take_all()
            left = self._held._judge()
        if left == 0:
            self._stop()
            self._has_cancelled = True
            self._task.cancel()
        elif left < math.inf:
            self._timer = self._loop.call_later(left, self._look)

    def _stop(self) -> None:
        self._loop.remove_reader(self._held._talk.socket)
        if self._timer is not None:
            self._timer.cancel()

    def end(self) -> bool:
        """True if it has cancelled the task, and nobody else has."""
        self._stop()
        is_alone = self._has_cancelled
        if sys.version_info >= (3, 11) and self._has_cancelled:
            is_alone = self._task.uncancel() <= self._cancels_before
        self._has_cancelled = False
        return is_alone


@contextlib.asynccontextmanager
async def alead(cluster: Optional[str] = None, *, socket: Optional[str] = None,
                even_if_two: bool = False, margin: Optional[float] = None,
                timeout: Optional[float] = None) -> AsyncIterator[Lead]:
    """The same, for asyncio. The task is cancelled when the lead is lost, and
    then leaves the block with LeadLost. That takes a loop that is not blocked:
    check() tells before each step, as always."""
    held = await _arun(_begin(cluster, socket, even_if_two, margin, timeout))
    follower = _Follower(held)
    try:
        yield held
    except asyncio.CancelledError:
        if not follower.end():
            raise
        raise LeadLost(held._why) from None
    finally:
        follower.end()
        await _arun(held._leave())
