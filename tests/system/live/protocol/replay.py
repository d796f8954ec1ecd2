# SPDX-License-Identifier: ISC
"""replay.py SOCKET SEEN RECORD...: says to a daemon what clients say, and fails
if an answer has another shape than is recorded.

A record is a conversation on one connection. A line "> REQUEST" is sent as it
is. Below it stand the keys of the answer, each with the types that it may have:
"leader.id integer", "peers[].tree string null"; "messages.* integer" is for all
keys of an object, and a key that is not in every such object is also "absent".
Below "< WORD" they are those of the first line that has WORD
as its "event", or as a key; such lines may come in any order, among others. What
is recorded must be there, with one of its types. What is there besides is told,
for a release to record it. Each key that was there is added to the file SEEN.
"""
import json
import socket
import sys
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

PATIENCE = 60  # s, for an answer
NAMES = {dict: "object", list: "array", str: "string", int: "integer",
         float: "number", bool: "boolean", type(None): "null"}

Shape = Dict[str, Set[str]]  # the types by the path of a key
seen = open(sys.argv[2], "a", buffering=1, encoding="utf-8")
record = ""  # which is said at present
faults: List[str] = []


def complain(what: str) -> None:
    faults.append(f"{record}: {what}")


def parts(value: Any, path: str, shape: Shape) -> Iterator[Tuple[str, Any]]:
    """What is within the value, each with its path."""
    if isinstance(value, list):
        yield from ((f"{path}[]", one) for one in value)
    elif isinstance(value, dict):
        start = f"{path}." if path else ""
        is_open = f"{start}*" in shape
        for key, one in value.items():
            yield start + ("*" if is_open else key), one
        for name in shape:
            rest = name[len(start):]
            if (name.startswith(start) and rest != "*" and
                    not set(rest) & set(".[") and rest not in value and
                    "absent" not in shape[name]):
                complain(f"{name} is missing")


def judge(value: Any, path: str, shape: Shape) -> None:
    name = NAMES[type(value)]
    wanted = shape.get(path, {name})
    if path and path not in shape:
        print(f"    {record}: {path} {name}: not recorded")
        return
    if name not in wanted and not (name == "integer" and "number" in wanted):
        complain(f"{path} is {name}, not {' or '.join(sorted(wanted))}")
    seen.write(f"{record} {path}\n")
    for inner, one in parts(value, path, shape):
        judge(one, inner, shape)


def read() -> Iterator[Tuple[str, Dict[Optional[str], Shape]]]:
    """The requests of the record, each with the shapes of answers by words."""
    request = ""
    shapes: Dict[Optional[str], Shape] = {}
    shape: Shape = {}
    with open(record, encoding="utf-8") as lines:
        for line in lines:
            head, _, rest = line.strip().partition(" ")
            if head == ">":
                if request:
                    yield request, shapes
                request, shapes, shape = rest, {}, {}
                shapes[None] = shape
            elif head == "<":
                shapes.pop(None, None)
                shape = shapes[rest] = {}
            elif head and head != "#":
                shape[head] = set(rest.split())
    yield request, shapes


def word_of(answer: Any, shapes: Dict[Optional[str], Shape]) -> Optional[str]:
    """By which the answer is recorded."""
    if None in shapes:
        return None
    return next((word for word in shapes
                 if word == answer.get("event") or word in answer), "")


def replay(daemon: socket.socket) -> None:
    lines = daemon.makefile(encoding="utf-8")
    for request, shapes in read():
        daemon.sendall(request.encode() + b"\n")
        while shapes:
            line = lines.readline()
            if not line:
                complain(f"the daemon has gone after {request}")
                return
            answer = json.loads(line)
            word = word_of(answer, shapes)
            if word != "":
                judge(answer, "", shapes.pop(word))


for record in sys.argv[3:]:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(PATIENCE)
        connection.connect(sys.argv[1])
        replay(connection)
for fault in faults:
    print(fault)
sys.exit(1 if faults else 0)
