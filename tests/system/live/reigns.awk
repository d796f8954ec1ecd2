# SPDX-License-Identifier: ISC
# reigns.awk -v since=NS -v planned=1: the events that `electctl watch` wrote at
# all nodes of one cluster, each after its mono_ns, sorted by that. Fails if a
# term has two leaders, if a node leads while another one does, or if one takes
# a leader of a lower term than before; with `planned` also if a leader that was
# there at the moment `since`, or came later, fails: each hands over.
# overlaps=1: under component a leader may begin before the one before it knows.
# Counts the terms whose leader was first told of after `since`.
function wrong(what) {
    printf "    %s: %s\n", what, $0
    failures++
}

# The value of a key, without quotes.
function of(key,    text) {
    if (!match($0, "\"" key "\":\"?[^,\"}]*"))
        return ""
    text = substr($0, RSTART, RLENGTH)
    sub(/.*[:"]/, "", text)
    return text
}

function ends() {
    if (leads == self) {
        leads = ""
        ended = $1
    }
}

{
    event = of("event")
    self = of("self")
}

event == "killed" {
    ends()
    last[self] = 0 # the next life begins with what it kept
}

event ~ /^(state|leader|no-leader)$/ {
    leader = of("leader")
    term = of("term") + 0
    if (planned && $1 > since &&
        of("reason") ~ /^(missed|died|refused|lease|stalled)/)
        wrong("a leader failed")
    if (leader != self)
        ends()
    if (leader == "null")
        next
    if (term in leader_of && leader_of[term] != leader)
        wrong("the leader of this term was " leader_of[term])
    if (!(term in leader_of)) {
        known++
        terms += $1 > since
    }
    leader_of[term] = leader
    if (term < last[self])
        wrong("after term " last[self])
    last[self] = term
    if (leader == self && leads != self) {
        if (leads != "" && !overlaps)
            wrong(leads " leads")
        gap = leads != "" || ended == "" ? 0 : ($1 - ended) / 1000000
        if ($1 > since && gap > longest)
            longest = gap
        leads = self
    }
}

END {
    if (leads == "")
        wrong("nobody leads in the end")
    printf "    %d more terms with a leader; none for %.1f ms at most\n", terms,
        longest
    exit failures > 0 || known == 0
}
