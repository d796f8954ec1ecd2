# SPDX-License-Identifier: ISC
# table.awk: the steps of rollout.sh and the lines of client.c, each after its
# mono_ns, sorted by that. It prints for each kind of step how many there were,
# the longest time without a leader in each (median and maximum, in ms), and how
# often there was a new leader in all of them. Fails if two led at once, or if
# in a rolling restart the leader changed more often than once more than the
# host of the leader was restarted.

# The value of a key, without quotes.
function of(key,    text) {
    if (!match($0, "\"" key "\":\"?[^,\"}]*"))
        return ""
    text = substr($0, RSTART, RLENGTH)
    sub(/^"[^"]*":"?/, "", text)
    return text
}

function longer(source, gap_ns) {
    if (name != "" && gap_ns / 1e6 > longest[source])
        longest[source] = gap_ns / 1e6
}

# Who has a leader, and who is one; the time without begins with the last one.
function set(source, host, is_on) {
    if (is_on && !on[source, host] && count[source]++ == 0)
        longer(source, since[source] ? $1 - since[source] : 0)
    if (!is_on && on[source, host] && --count[source] == 0)
        since[source] = $1
    on[source, host] = is_on
    if (source == "leaders" && count[source] > 1) {
        print "two leaders: " $0
        failed = 1
    }
}

function sorted(list, n,    i, j, v) {
    for (i = 2; i <= n; i++) {
        v = list[i]
        for (j = i - 1; j > 0 && list[j] > v; j--)
            list[j + 1] = list[j]
        list[j + 1] = v
    }
}

function figures(kind, source,    i, n, list, middle) {
    n = steps[kind]
    for (i = 1; i <= n; i++)
        list[i] = value[kind, source, i]
    sorted(list, n)
    middle = (list[int((n + 1) / 2)] + list[int(n / 2) + 1]) / 2
    return sprintf("%8.2f %8.2f", middle, list[n])
}

BEGIN {
    split("clients members leaders", sources)
}

{
    event = of("event")
    self = of("self")
}

event == "step" {
    name = of("name")
    changes = late = 0
    for (i in sources)
        longest[sources[i]] = 0
}

event == "done" {
    if (!(name in steps))
        names[++kinds] = name
    n = ++steps[name]
    for (i in sources)
        value[name, sources[i], n] = longest[sources[i]]
    changed[name] += changes
    part = name
    sub(/:.*/, "", part)
    all[part] += changes
    if (name ~ /^(restart|upgrade): leader/)
        asked[part]++
    name = ""
}

# Anything may hold up a client or a daemon for a moment: so tell what is at a
# change of leader, or right after it, from the rest.
event == "unsaid" && name != "" {
    gap = of("gap_ns")
    longer("clients", gap)
    is_near = $1 - gap < moved + 5e7
    if (gap / 1e6 > unsaid[is_near])
        unsaid[is_near] = gap / 1e6
    gaps[is_near]++
}

event == "gone" {
    set("members", self, 0)
    set("leaders", self, 0)
}

event ~ /^(state|leader|no-leader)$/ {
    leader = of("leader")
    moved = $1
    if (leader == self && of("term") != term) {
        term = of("term")
        changes++
    }
    set("members", self, leader != "null")
    set("leaders", self, leader == self)
}

END {
    printf "%-42s %3s %17s %17s %17s %7s\n", "", "n", "clients", "members",
        "leaders", "changes"
    for (k = 1; k <= kinds; k++)
        printf "%-42s %3d %s %s %s %7d\n", names[k], steps[names[k]],
            figures(names[k], "clients"), figures(names[k], "members"),
            figures(names[k], "leaders"), changed[names[k]]
    for (is_near = 1; is_near >= 0; is_near--)
        printf "clients, %s 50 ms of a change of leader: %d times, %.2f ms at most\n",
            is_near ? "within" : "not within", gaps[is_near], unsaid[is_near]
    for (part in asked) {
        printf "%s: %d changes of leader, %d times its host\n", part,
            all[part], asked[part]
        if (all[part] > 2 * asked[part])
            failed = 1
    }
    exit failed
}
