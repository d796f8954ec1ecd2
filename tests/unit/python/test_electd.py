# SPDX-License-Identifier: ISC
"""electd.py against a daemon that the test plays. What the daemon says has
come when say() returns, and the test sets the clock: so nothing here waits for
time to pass, but for tasks that are cancelled in time."""
from __future__ import annotations

import asyncio
import contextlib
import json
import os
import pathlib
import random
import signal
import socket
import sys
import tempfile
import threading
import time
import unittest
from typing import Any, Dict, Iterator, List, Optional
from unittest import mock

import electd

MS = 1_000_000
NODE: Dict[str, Any] = {"id": 3, "name": "web3", "address": "192.0.2.13:7420"}
MEMBER = {**NODE, "configured_role": "candidate", "priority": 0}
LEADER: Dict[str, Any] = {"term": 7, "token": 5, "leader": NODE, "self": 3}
STATUS: Dict[str, Any] = {
    "verdict": "ok", "troubles": [{"id": None, "name": None, "why": "x"}],
    "cluster": "web", "guarantee": "quorum", "algorithm": "bully",
    "topology": "full", "config_version": 0, "config_term": 0,
    "file_config_version": 0, "proposed": None, "role": "leader",
    "state": "leader", "reason": "start:3", "reason_name": "web3",
    "since_ms": 45.5, "lease_ms": 428, "age_ms": 0, "agree": 3, "reachable": 3,
    "eligible": 3,
    "nodes": 3, "peers_up": 2, "tree": None, "multicast": None,
    "discovery": None, "version": "0", "uptime_ms": 645.5, "peers": [],
    "quorum": {"voters": 3, "quorum": 2, "votes": 3, "missing": []},
    "node": {
        **MEMBER, "incarnation": 1, "duplicate": False, "bypassed": False,
        "stopping": False, "standby": None, "checks": None, "ineligible": None,
        "no_carrier_on": None, "removed_by": None, "damped": False,
        "damped_ms": None, "state_file": "sound", "has_vote": True},
    **LEADER}


def change(event: str, leader: Optional[int], token: Optional[int] = 5,
           **more: object) -> Dict[str, object]:
    return {"event": event, "term": 7, "leader": leader, "self": 3,
            "token": token, "mono_ns": 1, "time": "", **more}


def deadline(ms: int, valid_ms: float = 1000, token: int = 5,
             term: int = 7) -> Dict[str, object]:
    """A deadline at that time of the test's clock."""
    return {"event": "deadline", "term": term, "token": token, "leader": 3,
            "self": 3, "valid_ms": valid_ms, "until_boot_ns": ms * MS}


class Daemon:
    """Answers each verb by `answers`, a line or an object, and each watch by
    the lines of `opening`, of which each watch takes one list but for the
    last."""

    def __init__(self, path: str, *opening: Dict[str, object]) -> None:
        self.answers: Dict[str, object] = {
            "version": {"protocol": 3, "version": "0"}, "leader": LEADER,
            "status": STATUS, "release": {"released": True}}
        self.opening: List[List[Dict[str, object]]] = [list(opening)]
        self.requests: List[Dict[str, Any]] = []
        self.watcher: Optional[socket.socket] = None
        self.changed = threading.Condition()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen()
        self.clients: List[socket.socket] = []
        self.threads = [threading.Thread(target=self.accept)]
        self.threads[0].start()

    def accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                thread = threading.Thread(target=self.serve, args=(client,))
                with self.changed:
                    self.clients.append(client)
                    self.threads.append(thread)
                thread.start()

    def serve(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError), client.makefile() as lines:
            for line in lines:
                request = json.loads(line)
                if request["verb"] == "watch":
                    self.send(client, *self.opening[0])
                    self.opening = self.opening[1:] or self.opening
                    self.watcher = client
                else:
                    self.send(client, self.answers[request["verb"]])
                with self.changed:
                    self.requests.append(request)
                    self.changed.notify_all()

    @staticmethod
    def send(client: socket.socket, *lines: object) -> None:
        """All at once, so that the client takes them together."""
        with contextlib.suppress(OSError):
            client.sendall(b"".join(
                (one if isinstance(one, bytes) else json.dumps(one).encode())
                + b"\n" for one in lines))

    def say(self, line: object) -> None:
        """To the last that watches, who has the opening."""
        self.await_requests("watch", 1)
        assert self.watcher is not None
        self.send(self.watcher, line)

    def await_requests(self, verb: str, count: int) -> None:
        with self.changed:
            assert self.changed.wait_for(
                lambda: len(self.asked(verb)) >= count, 60), verb

    def asked(self, verb: str) -> List[Dict[str, Any]]:
        return [one for one in self.requests if one["verb"] == verb]

    def hang_up(self) -> None:
        self.await_requests("watch", 1)
        assert self.watcher is not None
        self.watcher.shutdown(socket.SHUT_RDWR)

    def end(self) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.threads[0].join()
        for client in self.clients:
            with contextlib.suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)
        for thread in self.threads[1:]:
            thread.join()
        for client in self.clients:
            client.close()


class Case(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.path = str(self.directory / "web.sock")
        self.daemon = Daemon(self.path)
        self.addCleanup(self.daemon.end)
        self.clock_ms: Optional[int] = None  # None: the true time
        self.patch(electd, "_now", self.now)
        self.patch(electd, "_DIRECTORY", directory.name)
        environment = mock.patch.dict(os.environ)
        environment.start()
        self.addCleanup(environment.stop)
        os.environ.pop("ELECTD_SOCKET", None)

    def now(self) -> int:
        if self.clock_ms is None:
            return time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        return self.clock_ms * MS

    def patch(self, owner: object, name: str, value: object) -> None:
        patch = mock.patch.object(owner, name, value)
        patch.start()
        self.addCleanup(patch.stop)

    def gave_back(self, count: int) -> None:
        self.daemon.await_requests("release", count)
        self.assertEqual(self.daemon.asked("release"),
                         count * [{"verb": "release", "leaves": True}])


class Questions(Case):
    def test_the_leader_is_named(self) -> None:
        self.assertEqual(electd.leader("web"), electd.Leader(
            "web3", 3, "192.0.2.13:7420", 7, 5, True))
        self.daemon.answers["leader"] = {**LEADER, "self": 1, "token": None}
        found = electd.leader()
        assert found is not None
        self.assertEqual((found.is_here, found.token), (False, None))

    def test_no_leader_is_none(self) -> None:
        self.daemon.answers["leader"] = {**LEADER, "leader": None}
        self.assertIsNone(electd.leader(socket=self.path))

    def test_status_is_the_answer(self) -> None:
        answer = {**STATUS, "later": 1}
        self.daemon.answers["status"] = answer
        self.assertEqual(electd.status(), answer)

    def test_answer_of_another_shape_is_refused(self) -> None:
        for key, value, why in (
                ("term", "7", "term"), ("term", True, "term"),
                ("term", 1 << 63, "term is too large"),
                ("uptime_ms", None, "uptime_ms"),
                ("troubles", [3], "troubles.0"), ("peers", {}, "peers"),
                ("leader", {**NODE, "id": None}, "leader.id"),
                ("quorum", {"voters": 3}, "quorum.quorum is missing")):
            with self.subTest(key, value=value):
                self.daemon.answers["status"] = {**STATUS, key: value}
                with self.assertRaisesRegex(electd.ElectdError, why):
                    electd.status()
        for key in STATUS:
            with self.subTest(key):
                self.daemon.answers["status"] = {
                    name: STATUS[name] for name in STATUS if name != key}
                with self.assertRaisesRegex(electd.ElectdError,
                                            f"{key} is missing"):
                    electd.status()

    def test_line_that_is_no_answer_is_refused(self) -> None:
        for line in (b"x", b"[]", b"\xff", b'{"term":NaN}', 9999 * b"[",
                     b'{"leader":1e999}', (5 << 20) * b" "):
            with self.subTest(line[:20]):
                self.daemon.answers["leader"] = line
                with self.assertRaises(electd.ElectdError):
                    electd.leader()

    def test_damaged_answer_is_an_answer_or_an_error(self) -> None:
        draw = random.Random(1)
        whole = json.dumps(STATUS).encode()
        damage = [b'"', b"{", b"[", b"]", b"}", b",", b"9" * 30, b"null", b"-",
                  b"1e999", b"\xff", b"", b"true", b"\\u0000"]
        refused = 0
        for _ in range(300):
            at = draw.randrange(len(whole))
            self.daemon.answers["status"] = (
                whole[:at] + draw.choice(damage) +
                whole[at + draw.randrange(9):])
            try:
                electd.status()
            except electd.ElectdError:
                refused += 1
        self.assertGreater(refused, 100)

    def test_another_protocol_is_refused(self) -> None:
        self.daemon.answers["version"] = {"protocol": 4, "version": "9"}
        with self.assertRaisesRegex(electd.ElectdError, "protocol 4"):
            electd.leader()

    def test_what_electd_refuses_is_an_error(self) -> None:
        self.daemon.answers["leader"] = {"error": "no such", "code": 2}
        with self.assertRaisesRegex(electd.ElectdError, "no such"):
            electd.leader()
        self.daemon.answers["leader"] = {"error": "too many", "code": 3}
        with self.assertRaisesRegex(electd.Unreachable, "too many"):
            electd.leader()

    def test_events_come_until_the_daemon_has_gone(self) -> None:
        self.daemon.opening = [[change("state", 3), change("leader", 1)]]
        events = electd.watch()
        self.assertEqual([next(events)["event"], next(events)["event"]],
                         ["state", "leader"])
        self.daemon.say(change("later", None, new=1))
        self.assertEqual(next(events)["event"], "later")
        self.daemon.hang_up()
        with self.assertRaises(electd.Unreachable):
            next(events)

    def test_event_of_another_shape_is_refused(self) -> None:
        self.daemon.opening = [[change("state", 3, reason=5)]]
        with self.assertRaisesRegex(electd.ElectdError, "reason"):
            next(electd.watch())


class Places(Case):
    def test_the_environment_names_the_socket(self) -> None:
        os.environ["ELECTD_SOCKET"] = str(self.directory / "none.sock")
        with self.assertRaisesRegex(electd.Unreachable, "none.sock"):
            electd.leader()
        self.assertIsNotNone(electd.leader("web"))
        os.environ["ELECTD_SOCKET"] = ""
        self.assertIsNotNone(electd.leader())

    def test_of_several_the_only_daemon_that_lives_is_asked(self) -> None:
        (self.directory / "web.admin.sock").touch()
        (self.directory / "a.sock").touch()
        self.assertIsNotNone(electd.leader())
        other = Daemon(str(self.directory / "b.sock"))
        self.addCleanup(other.end)
        with self.assertRaisesRegex(electd.ElectdError, "b.sock, .*web.sock"):
            electd.leader()

    def test_without_a_socket_no_daemon_is_found(self) -> None:
        os.unlink(self.path)
        with self.assertRaises(electd.Unreachable):
            electd.leader()

    def test_impossible_places_are_refused(self) -> None:
        for cluster in ("", "a/b", "web.admin"):
            with self.assertRaises(ValueError):
                electd.leader(cluster)
        with self.assertRaises(ValueError):
            electd.leader("web", socket=self.path)
        with self.assertRaises(electd.ElectdError):
            electd.leader(200 * "x")


class Leads(Case):
    def setUp(self) -> None:
        super().setUp()
        self.clock_ms = 10_000
        self.daemon.opening = [[change("state", 3, hands_over=False),
                                deadline(11_000)]]

    @contextlib.contextmanager
    def lost(self, why: str) -> Iterator[electd.Lead]:
        """A lead that is lost by what the block does, for good, and is given
        back all the same."""
        with electd.lead("web", margin=0.25) as lead:
            lead.check()
            yield lead
            with self.assertRaisesRegex(electd.LeadLost, why):
                lead.check()
            self.assertEqual(lead.left(), 0)
            self.daemon.say(change("leader", 3))
            self.daemon.say(deadline(99_000))
            with self.assertRaisesRegex(electd.LeadLost, why):
                lead.check()

    def test_it_holds_until_the_margin(self) -> None:
        with electd.lead("web", margin=0.25) as lead:
            self.daemon.await_requests("watch", 1)
            self.assertEqual(self.daemon.asked("watch"),
                             [{"verb": "watch", "holds": True}])
            self.assertEqual((lead.token, lead.term, lead.until_boot_ns),
                             (5, 7, 11_000 * MS))
            self.assertEqual(lead.left(), 0.75)
            self.daemon.say(deadline(12_000, term=8))
            self.clock_ms = 11_749
            lead.check()
            self.assertEqual((lead.left(), lead.term), (0.001, 8))
            self.clock_ms = 11_750
            with self.assertRaisesRegex(electd.LeadLost, "may end"):
                lead.check()

    def test_the_margin_is_half_of_the_time_given(self) -> None:
        with electd.lead("web") as lead:
            self.assertEqual(lead.left(), 0.5)

    def test_the_deadline_is_given_back_once(self) -> None:
        with electd.lead("web") as lead:
            self.assertEqual(self.daemon.asked("release"), [])
        self.gave_back(1)
        with self.assertRaisesRegex(electd.LeadLost, "block"):
            lead.check()
        with self.assertRaises(KeyError), electd.lead("web"):
            raise KeyError
        self.gave_back(2)

    def test_a_handover_ends_it(self) -> None:
        with self.lost("hands over"):
            self.daemon.say({"event": "handover", "self": 3, "on": True})
        self.gave_back(1)

    def test_another_leader_ends_it(self) -> None:
        with self.lost("no longer"):
            self.daemon.say(change("leader", 1))
        self.gave_back(1)

    def test_no_leader_ends_it(self) -> None:
        with self.lost("no longer"):
            self.daemon.say(change("no-leader", None, None))

    def test_another_lead_of_this_node_ends_it(self) -> None:
        with self.lost("anew") as lead:
            self.daemon.say(deadline(20_000, token=6))
        self.assertEqual((lead.token, lead.until_boot_ns), (5, 11_000 * MS))

    def test_the_end_of_the_daemon_ends_it(self) -> None:
        with self.lost("gone"):
            self.daemon.say(deadline(20_000))
            self.daemon.hang_up()

    def test_nonsense_ends_it(self) -> None:
        lines: List[object] = [b"x", {"error": "out", "code": 3},
                               change("leader", 3, reason=5, term="7")]
        for count, line in enumerate(lines, 1):
            with self.subTest(line), electd.lead("web") as lead:
                self.daemon.await_requests("watch", count)
                self.daemon.say(line)
                with self.assertRaises(electd.LeadLost):
                    lead.check()

    def test_a_late_process_has_lost_it(self) -> None:
        with self.lost("may end"):
            self.clock_ms = 20_000

    def test_it_begins_with_a_deadline_and_no_handover(self) -> None:
        self.daemon.opening = [[]]
        events = (change("state", 1, 4), change("leader", 3),
                  {"event": "handover", "self": 3, "on": True},
                  {"event": "handover", "self": 3, "on": False},
                  {"event": "elected", "leader": 3}, deadline(12_000))
        began: List[float] = []

        def hold() -> None:
            with electd.lead("web") as lead:
                began.append(lead.left())

        holder = threading.Thread(target=hold)
        holder.start()
        self.daemon.await_requests("watch", 1)
        for event in events:
            self.assertEqual(began, [])
            self.daemon.say(event)
        holder.join()
        self.assertEqual(began, [1.5])

    def test_deadline_of_no_use_is_given_back(self) -> None:
        near = [change("state", 3), deadline(10_400)]
        handed = [change("state", 3), deadline(11_000),
                  {"event": "handover", "self": 3, "on": True}]
        self.daemon.opening = [near, handed, *self.daemon.opening]
        self.patch(electd, "_TRY_NS", 0)
        with electd.lead("web"):
            self.gave_back(2)
        self.gave_back(3)

    def test_margin_that_leaves_no_time_is_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "less than 1.0 s"):
            with electd.lead("web", margin=1):
                self.fail("it began")
        self.gave_back(1)
        with self.assertRaises(ValueError), electd.lead("web", margin=0):
            self.fail("it began")

    def test_component_is_refused(self) -> None:
        self.daemon.answers["status"] = {**STATUS, "guarantee": "component"}
        with self.assertRaisesRegex(electd.ElectdError, "even_if_two"):
            with electd.lead("web"):
                self.fail("it began")
        with electd.lead("web", even_if_two=True) as lead:
            self.daemon.await_requests("watch", 1)
            self.assertEqual(self.daemon.asked("watch"), [{"verb": "watch"}])
            self.assertEqual((lead.left(), lead.token), (float("inf"), 5))
            self.clock_ms = 99_000
            lead.check()
            self.daemon.say(change("leader", 1))
            with self.assertRaisesRegex(electd.LeadLost, "no longer"):
                lead.check()
        self.assertEqual(self.daemon.asked("release"), [])

    def test_process_that_is_forked_gives_nothing_back(self) -> None:
        with electd.lead("web") as lead:
            child = os.fork()
            if child == 0:
                signal.alarm(60)
                try:
                    lead.check()
                except electd.LeadLost:
                    lead._give_back()
                    os._exit(9)
                os._exit(0)
            _, code = os.waitpid(child, 0)
            self.assertEqual(os.WEXITSTATUS(code), 9)
            self.daemon.say(deadline(12_000))
            self.assertEqual((lead.left(), self.daemon.asked("release")),
                             (1.5, []))

    def test_it_does_not_wait_longer_than_it_may(self) -> None:
        self.daemon.opening = [[change("state", 1, 4)]]
        for timeout in (0, 0.01):
            self.clock_ms = None
            with self.assertRaises(TimeoutError):
                with electd.lead("web", timeout=timeout):
                    self.fail("it began")
        self.gave_back(2)

    def test_it_says_that_there_is_no_daemon(self) -> None:
        with self.assertRaisesRegex(electd.Unreachable, "none.sock"):
            with electd.lead("none", timeout=0):
                self.fail("it began")

    def test_it_waits_for_the_daemon(self) -> None:
        self.patch(electd, "_TRY_NS", MS)
        path = str(self.directory / "late.sock")
        began = threading.Event()

        def hold() -> None:
            with electd.lead(socket=path):
                began.set()

        holder = threading.Thread(target=hold)
        self.clock_ms = None
        holder.start()
        late = Daemon(path, change("state", 3),
                      deadline(self.now() // MS + 60_000, 60_000))
        self.addCleanup(late.end)
        self.assertTrue(began.wait(60))
        holder.join()


class Tasks(Case):
    def setUp(self) -> None:
        super().setUp()
        self.soon(60_000, 60_000)

    def soon(self, ms: int, valid_ms: int) -> None:
        """The deadline is so far away, by the true time."""
        until_ms = self.now() // MS + ms
        self.until = until_ms * MS
        self.daemon.opening = [[change("state", 3),
                                deadline(until_ms, valid_ms)]]

    async def hold(self, *, begun: Optional[asyncio.Event] = None) -> None:
        async with electd.alead("web") as lead:
            lead.check()
            self.token = lead.token
            if begun is not None:
                begun.set()
            await asyncio.Event().wait()

    def test_it_is_cancelled_before_the_deadline(self) -> None:
        self.soon(30_000, 59_000)
        with self.assertRaisesRegex(electd.LeadLost, "may end"):
            asyncio.run(self.hold())
        self.assertLess(self.now(), self.until)
        self.assertEqual(self.token, 5)
        self.gave_back(1)

    async def ends(self, *, by: object) -> None:
        begun = asyncio.Event()
        task = asyncio.ensure_future(self.hold(begun=begun))
        await begun.wait()
        if by is None:
            task.cancel()
        else:
            self.daemon.say(by)
        await task

    def test_a_handover_cancels_it(self) -> None:
        with self.assertRaisesRegex(electd.LeadLost, "hands over"):
            asyncio.run(self.ends(
                by={"event": "handover", "self": 3, "on": True}))
        self.gave_back(1)

    def test_nonsense_cancels_it(self) -> None:
        with self.assertRaises(electd.LeadLost):
            asyncio.run(self.ends(by=b"x"))

    def test_who_is_cancelled_by_others_stays_so(self) -> None:
        with self.assertRaises(asyncio.CancelledError):
            asyncio.run(self.ends(by=None))
        self.gave_back(1)

    @unittest.skipUnless(sys.version_info >= (3, 11), "cancels are not counted")
    def test_who_is_cancelled_by_others_as_well_stays_so(self) -> None:
        async def lead() -> None:
            task = asyncio.current_task()
            assert task is not None
            async with electd.alead("web"):
                self.daemon.say({"event": "handover", "self": 3, "on": True})
                try:
                    await asyncio.Event().wait()
                finally:
                    task.cancel()

        with self.assertRaises(asyncio.CancelledError):
            asyncio.run(lead())
        self.gave_back(1)

    def test_block_that_ends_is_not_cancelled(self) -> None:
        async def hold() -> str:
            async with electd.alead("web") as lead:
                self.daemon.say({"event": "handover", "self": 3, "on": True})
                lead.check()
            await asyncio.sleep(0)
            return "done"

        self.assertEqual(asyncio.run(hold()), "done")
        self.gave_back(1)

    def test_task_may_go_on_after_it_was_cancelled(self) -> None:
        async def hold() -> str:
            with contextlib.suppress(electd.LeadLost):
                await self.ends(by=change("leader", 1))
            await asyncio.wait_for(asyncio.sleep(0), 60)
            return "done"

        self.assertEqual(asyncio.run(hold()), "done")

    def test_it_ends_the_wait_when_it_is_cancelled(self) -> None:
        self.daemon.opening = [[change("state", 1, 4)]]

        async def give_up() -> None:
            task = asyncio.ensure_future(self.hold())
            while not self.daemon.asked("watch"):
                await asyncio.sleep(0.001)
            task.cancel()
            await task

        with self.assertRaises(asyncio.CancelledError):
            asyncio.run(give_up())
        self.gave_back(1)

    def test_events_come_to_a_task(self) -> None:
        async def look() -> List[str]:
            found = []
            with self.assertRaises(electd.Unreachable):
                async for event in electd.awatch():
                    found.append(event["event"])
                    self.daemon.hang_up()
            return found

        self.daemon.opening = [[change("state", 3)]]
        self.assertEqual(asyncio.run(look()), ["state"])


if __name__ == "__main__":
    unittest.main()
