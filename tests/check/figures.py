#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""figures.py: how large the tree is, and how its parts hang together.

Counts lines, the members of the largest structs, the entries of the largest
folder of sources, and the exported functions that one place alone uses. All of
it is read from the sources that git tracks.
"""
import collections
import os
import re
import subprocess

PRODUCT = ("common/", "daemon/", "algorithms/")
SIMULATOR = ("tests/model/world/", "tests/model/sim/")
STRUCT = re.compile(r"^struct (\w+) \{\n(.*?)^\}", re.M | re.S)


def files(*kinds):
    out = subprocess.run(["git", "ls-files"], check=True, text=True,
                         capture_output=True).stdout.split()
    return [f for f in out if f.endswith(kinds) and os.path.exists(f)]


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def plain(text):
    """Without comments and strings."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    return re.sub(r'"(?:\\.|[^"\\])*"', '""', text)


def members(body):
    """The members of a struct; those of a struct inside count as one."""
    while re.search(r"\{[^{}]*\}", body):
        body = re.sub(r"\{[^{}]*\}", " ", body)
    body = re.sub(r"\([^()]*\)", " ", re.sub(r"\([^()]*\)", " ", body))
    return sum(m.count(",") + 1 for m in body.split(";") if m.strip())


def largest_struct(sources, under):
    found = [(members(body), name) for path, text in sources.items()
             if path.startswith(under) for name, body in STRUCT.findall(text)]
    return max(found)


def lonely(sources):
    """Exported functions of the product, and those with one use."""
    exported = set()
    for path, text in sources.items():
        if path.startswith(PRODUCT) and path.endswith(".c"):
            exported.update(re.findall(
                r"^(?!static\b)\w[\w *]*\n([a-z_]\w*)\(", text, re.M))
    exported.discard("main")
    shipped = collections.Counter()
    for path, text in sources.items():
        if path.startswith(PRODUCT + SIMULATOR):
            shipped.update(re.findall(r"\b[a-z_]\w*\b", text))
    # Its definition and its prototype are no uses.
    return exported, [f for f in exported if shipped[f] == 3]


def main():
    sources = {f: plain(read(f)) for f in files(".c", ".h")}
    lines = collections.Counter()
    for path in files(".c", ".h", ".sh"):
        part = "product" if path.startswith(PRODUCT) else "tests"
        lines[part] += read(path).count("\n")
    folders = collections.Counter()
    for path in files(".c", ".h", ".sh", ".md"):
        if path.startswith(PRODUCT + SIMULATOR):
            folders[os.path.dirname(path)] += 1
    folder, entries = folders.most_common(1)[0]
    exported, one = lonely(sources)
    print("%7d lines of product C" % lines["product"])
    print("%7d lines of tests, C and sh" % lines["tests"])
    for what, under in ("product", PRODUCT), ("simulator", SIMULATOR):
        count, name = largest_struct(sources, under)
        print("%7d members in struct %s, the largest of the %s" %
              (count, name, what))
    print("%7d entries in %s, the largest folder of sources" %
          (entries, folder))
    print("%6d%% of %d exported functions are used in one place" %
          (100 * len(one) // len(exported), len(exported)))


if __name__ == "__main__":
    main()
