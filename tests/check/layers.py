#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""layers.py BUILD: the tree is in layers.

1. A file includes headers of its own folder and of what the README of that
   folder names alone: "May include: `folder/`, `folder/header.h`; `file.h` also
   `folder/`." What folders include leads back to none of them.
2. The files of common/ call each other in one direction: no cycle but through
   node.c, which acts on what follows from a decision. So do those of daemon/,
   but for electd.c, the loop; of tests/model/world/, but for step.c; and of
   tests/model/sim/. The calls are read from the objects, so build first.
3. Only the files that take inputs, DRIVERS, call node.c: a part returns what
   follows.
4. Each part of a node keeps its fields to itself. A part is a struct of
   PARTS that struct node or struct peer has as a field. The comment above it
   names the files that own it, "(stall.c)"; no other file mentions that field.
   If the comment says "All read it.", other files may read it. A struct of
   parts alone, whose comment names no file, is a group of parts. The other
   fields of struct node and struct peer are read by all and written by the
   files that the comment above these two names.
5. A folder of sources has at most ENTRIES_MAX entries; its README and its
   folders count.

Tells of each violation, and fails if there is one.
"""
import glob
import os
import re
import subprocess
import sys

HUB = "common/node/drive/node"
HUBS = {"daemon": "daemon/electd/electd",
        "tests/model/world": "tests/model/world/process/step",
        "tests/model/sim": None}
ENTRIES_MAX = 25  # more cannot be seen at a glance
DRIVERS = ["beacon", "init", "inputs", "messages", "receive", "send", "timers"]
COUNTED = ["counters"]  # of struct node; each file counts what it does
PARTS = ["common/node/node_parts.h", "common/node/peer.h",
         "common/node/lead.h"]
WRITE = r"\s*(?:\[[^]]*\]|\.\w+)*\s*(?:[-+|&^]?=(?!=)|\+\+|--)"


def allowed():
    """For each folder that has a README: what all its files may include, by
    the name None, and what one file alone."""
    found = {}
    for path in sorted(glob.glob("common/*/**/README.md", recursive=True) +
                       glob.glob("daemon/*/**/README.md", recursive=True) +
                       glob.glob("tests/*/**/README.md", recursive=True)):
        with open(path, encoding="utf-8") as readme:
            said = re.search(r"May\s+include:((?:`[^`]*`|[^`.])*)\.",
                             readme.read())
        names = found[os.path.dirname(path)] = {None: []}
        for part in said.group(1).split(";") if said else []:
            words = re.findall(r"`([^`]*)`", part)
            one = words.pop(0) if " also" in part else None
            names.setdefault(one, []).extend(words)
    return found


def includes():
    """Yields a line for each include that no README allows, and for each of
    a folder that leads back to it."""
    graph = {}
    for folder, names in allowed().items():
        for path in sorted(glob.glob(f"{folder}/*.[ch]")):
            may = names[None] + names.get(os.path.basename(path), [])
            with open(path, encoding="utf-8") as source:
                for number, line in enumerate(source, 1):
                    found = re.match(r'#include "(([^"]*)/[^"/]*)"', line)
                    if not found or found.group(2) == folder:
                        continue
                    header, to = found.groups()
                    graph.setdefault(folder, {}).setdefault(
                        to, f"{path}:{number}")
                    if not any(header == name or name.endswith("/") and
                               header.startswith(name) for name in may):
                        yield (f"{path}:{number}: {folder}/README.md does not"
                               f" allow {header}")
    for folder, others in graph.items():
        for to, where in others.items():
            if folder in reached(graph, to):
                yield f"{where}: {to} includes {folder}, too"


def calls(build, folder):
    """The graph of calls within the folder: for each file, the files and
    functions it calls."""
    defined, wanted = {}, {}
    objects = [f"{build}/{source[:-2]}.o"
               for source in glob.glob(f"{folder}/**/*.c", recursive=True)]
    if not objects:
        return {}
    symbols = subprocess.run(
        ["nm", "-A", *objects], check=True, capture_output=True,
        text=True).stdout
    for line in symbols.splitlines():
        path, rest = line.split(":", 1)
        name = path[len(build) + 1:-2]
        kind, symbol = rest.split()[-2:]
        if kind in "TDRB":
            defined[symbol] = name
        elif kind == "U":
            wanted.setdefault(name, []).append(symbol)
    graph = {name: {} for name in defined.values()}
    for name, symbols in wanted.items():
        for symbol in symbols:
            to = defined.get(symbol, name)
            if name != to:
                graph.setdefault(name, {}).setdefault(to, []).append(symbol)
    return graph


def results(graph):
    """Yields a line for each part that calls HUB, and takes HUB out of the
    graph."""
    graph.pop(HUB)
    for name in sorted(graph):
        functions = graph[name].pop(HUB, None)
        if functions and os.path.basename(name) not in DRIVERS:
            yield (f"{name}.c: does not return what follows: "
                   f"calls {', '.join(sorted(functions))} of node.c")


def without(graph, hub):
    """The graph without this file."""
    return {name: {to: functions for to, functions in others.items()
                   if to != hub}
            for name, others in graph.items() if name != hub}


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
    """Yields a line for each call within a cycle of files."""
    reach = {name: reached(graph, name) for name in graph}
    for name in sorted(graph):
        cycle = {to for to in reach[name] if name in reach.get(to, ())}
        for to in sorted(cycle & set(graph[name])):
            functions = ", ".join(sorted(graph[name][to]))
            yield (f"{name}.c: in a cycle of {len(cycle)} files: "
                   f"calls {functions} of {os.path.basename(to)}.c")


def structs():
    """The structs of PARTS: for each, its fields with their types, its owners
    and whether all read it."""
    text = "".join(open(path, encoding="utf-8").read() for path in PARTS)
    found = {}
    for comment, name, body in re.findall(
            r"/\*((?:(?!\*/).)*)\*/\s*struct (\w+) \{\n(.*?)\n\};",
            text, re.S):
        body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
        fields = re.findall(r"(?:struct )?(\w+) \**(\w+)(?:\[\w+\])?;", body)
        words = " ".join(comment.replace("*", " ").split())
        found[name] = (fields, set(re.findall(r"(\w+)\.c\b", words)),
                       "All read it." in words)
    return found


def ungrouped(parts, fields):
    """Yields each field with its type, and those of a group of parts, too."""
    for kind, field in fields:
        inner, owners, is_read = parts.get(kind, ([], None, True))
        yield field, kind
        if not (owners or is_read):
            yield from ((f"{field}.{name}", part) for part, name in inner)


def crowds():
    """Yields a line for each folder of sources that has too many entries."""
    for top in ("common", *HUBS):
        for folder, folders, files in os.walk(top):
            entries = len(folders) + len(files)
            if entries > ENTRIES_MAX and glob.glob(f"{folder}/*.[ch]"):
                yield (f"{folder}: has {entries} entries,"
                       f" {ENTRIES_MAX} at most")


def touches():
    """Yields a line for each mention of a field by a file that does not own
    it."""
    parts = structs()
    for path in sorted(glob.glob("common/node/**/*.c", recursive=True)):
        own = os.path.basename(path)[:-2]
        with open(path, encoding="utf-8") as source:
            lines = source.read().split("\n")
        peers = set(re.findall(r"struct peer \*(?:const )?(\w+)",
                               "\n".join(lines)))
        for top, at in (("node", r"\bnode->"),
                        ("peer", r"(?:\b(?:%s)->|peers\[[^]]*\]\.)"
                         % "|".join(sorted(peers) or ["p"]))):
            fields, writers, _ = parts[top]
            kinds = dict(ungrouped(parts, fields))
            mention = re.compile(at + r"(%s)\b" % "|".join(
                sorted(map(re.escape, kinds), key=len, reverse=True)))
            for number, line in enumerate(lines, 1):
                for found in mention.finditer(line):
                    field = found.group(1)
                    kind = kinds[field]
                    if kind == "peer" or field in COUNTED:
                        continue
                    is_part = kind in parts
                    _, owners, is_read = (
                        parts[kind] if is_part else (None, writers, True))
                    if own in owners:
                        continue
                    before, after = line[:found.start()], line[found.end():]
                    if re.search(r"[^&]&$|^&$", before) and after[:1] != ".":
                        # The address of a whole part may go to a function of
                        # its owner, but not to a pointer.
                        is_touch = (re.search(r"[^=!]=\s&$", before) and
                                    not (is_read and "const " in line))
                    else:
                        is_touch = not is_read or re.match(WRITE, after)
                    if is_touch:
                        does = "writes" if is_read else "touches"
                        yield (f"{path}:{number}: {does} {top}->{field}"
                               + (f" of {', '.join(sorted(owners))}.c"
                                  if is_part else ""))


def main():
    graph = calls(sys.argv[1], "common")
    violations = [*includes(), *results(graph), *cycles(graph), *touches(),
                  *crowds()]
    for folder, hub in HUBS.items():
        violations += cycles(without(calls(sys.argv[1], folder), hub))
    print("\n".join(violations), end="\n" if violations else "")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
