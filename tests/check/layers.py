#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""layers.py BUILD: common/ is in layers.

1. A file includes headers of its own folder and of those before it alone, in
   the order of FOLDERS.
2. The files of common/ call each other in one direction: no cycle of more than
   CYCLE_MAX files but through node.c, which acts on what follows from a
   decision. The calls are read from the objects, so build first.

Tells of each violation, and fails if there is one.
"""
import glob
import os
import re
import subprocess
import sys

FOLDERS = ["util", "wire", "link", "election", "quorum", "node"]
HUB = "common/node/node"
CYCLE_MAX = 2


def includes():
    """Yields a line for each include against the order."""
    for path in sorted(glob.glob("common/*/*.[ch]")):
        own = FOLDERS.index(path.split("/")[1])
        with open(path, encoding="utf-8") as source:
            for number, line in enumerate(source, 1):
                found = re.match(r'#include "([a-z]+)/([a-z]+)/', line)
                if not found:
                    continue
                top, folder = found.groups()
                if top != "common" or FOLDERS.index(folder) > own:
                    yield f"{path}:{number}: {top}/{folder} is above"


def calls(build):
    """The graph of calls: for each file, the files and functions it calls."""
    defined, wanted = {}, {}
    for source in glob.glob("common/*/*.c"):
        name = source[:-2]
        symbols = subprocess.run(
            ["nm", f"{build}/{name}.o"], check=True, capture_output=True,
            text=True).stdout
        for line in symbols.splitlines():
            kind, symbol = line.split()[-2:]
            if kind in "TDRB":
                defined[symbol] = name
            elif kind == "U":
                wanted.setdefault(name, []).append(symbol)
    graph = {name: {} for name in defined.values()}
    for name, symbols in wanted.items():
        for symbol in symbols:
            to = defined.get(symbol, name)
            if name != to and HUB not in (name, to):
                graph.setdefault(name, {}).setdefault(to, []).append(symbol)
    return graph


def reached(graph, start):
    """All that calls lead to from there."""
    seen, rest = set(), [start]
    while rest:
        for name in graph.get(rest.pop(), {}):
            if name not in seen:
                seen.add(name)
                rest.append(name)
    return seen


def cycles(graph):
    """Yields a line for each call within a cycle that has too many files."""
    reach = {name: reached(graph, name) for name in graph}
    for name in sorted(graph):
        cycle = {to for to in reach[name] if name in reach.get(to, ())}
        if len(cycle) <= CYCLE_MAX:
            continue
        for to in sorted(cycle & set(graph[name])):
            functions = ", ".join(sorted(graph[name][to]))
            yield (f"{name}.c: in a cycle of {len(cycle)} files: "
                   f"calls {functions} of {os.path.basename(to)}.c")


def main():
    violations = list(includes()) + list(cycles(calls(sys.argv[1])))
    print("\n".join(violations), end="\n" if violations else "")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
