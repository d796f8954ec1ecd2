# SPDX-License-Identifier: ISC
"""hold.py NODE SOCKET DIRECTORY [async]: holds the lead of a node again and
again, until SIGTERM.

For each lead it writes a file NODE.TERM.PROCESS-NUMBER in DIRECTORY/stamps with
two moments, in ns of CLOCK_BOOTTIME: when it began, and until when it may act
as the leader: the last deadline, or when it stopped. When a lead has ended it
adds a line to DIRECTORY/given, with the name of that file, when it stopped, the
deadline that it gave back then, and why.
"""
import asyncio
import contextlib
import os
import signal
import sys
import time
from typing import Iterator, List

import electd

GAP = 0.001  # s from one look at the lead to the next
node, path, directory = sys.argv[1:4]
leads = 0


class Stamp:
    """What it says of one lead."""

    def __init__(self, lead: electd.Lead) -> None:
        global leads
        leads += 1
        self.lead = lead
        self.name = f"{node}.{lead.term}.{os.getpid()}-{leads}"
        self.began = self.stopped = electd._now()
        self.until = 0
        hidden = f"{directory}/stamps/.{self.name}"
        self.file = os.open(hidden, os.O_RDWR | os.O_CREAT)
        self.go_on()
        os.rename(hidden, f"{directory}/stamps/{self.name}")

    def write(self, until: int) -> None:
        os.pwrite(self.file, b"%020d %020d\n" % (self.began, until), 0)

    def go_on(self) -> None:
        """It may act until the deadline."""
        assert self.lead.until_boot_ns is not None
        self.until = self.lead.until_boot_ns
        self.write(self.until)

    def stop(self) -> None:
        """It acts no more."""
        self.stopped = electd._now()
        self.write(min(self.stopped, self.until))
        os.close(self.file)

    def tell(self, why: str) -> None:
        with open(f"{directory}/given", "a", encoding="utf-8") as given:
            given.write(f"{self.name} {self.stopped} {self.until} {why}\n")


@contextlib.contextmanager
def told() -> Iterator[List[Stamp]]:
    """Tells how the lead has ended whose stamp is in the list."""
    stamps: List[Stamp] = []
    why = "told to end"
    try:
        yield stamps
    except electd.LeadLost as error:
        why = str(error)
    finally:
        for stamp in stamps:
            stamp.tell(why)


@contextlib.contextmanager
def stamped(lead: electd.Lead, stamps: List[Stamp]) -> Iterator[Stamp]:
    stamps.append(Stamp(lead))
    try:
        yield stamps[0]
    finally:
        stamps[0].stop()


def hold() -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    while True:
        with told() as stamps, electd.lead(socket=path) as lead:
            with stamped(lead, stamps) as stamp:
                while True:
                    lead.check()
                    stamp.go_on()
                    time.sleep(GAP)


async def ahold() -> None:
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    while True:
        with told() as stamps:
            async with electd.alead(socket=path) as lead:
                with stamped(lead, stamps) as stamp:
                    while True:
                        stamp.go_on()
                        await asyncio.sleep(GAP)


with contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
    if sys.argv[4:] == ["async"]:
        asyncio.run(ahold())
    else:
        hold()
