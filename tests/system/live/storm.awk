# SPDX-License-Identifier: ISC
# check.awk -v trials=N ID.log...: what the nodes of one cluster logged, all
# their lives in one file each. No node takes a leader of a lower term than it
# took before, in this life or an earlier one; no term has two leaders; nobody
# leads one term in two lives.
function wrong(what) {
    printf "    %s:%d: %s: %s\n", FILENAME, FNR, what, $0
    failures++
}

FNR == 1 {
    last = 0
}

/ electd [0-9.]+: node / {
    life = FILENAME ":" FNR
    self = $6
    lives++
}

/ error: | warning: .*damaged/ {
    wrong("the state was no good")
}

match($0, /: [a-z]+ leads( again)? in term [0-9]+ /) {
    said = substr($0, RSTART + 2, RLENGTH - 3)
    who = said
    sub(/ .*/, "", who)
    term = said
    sub(/.* /, "", term)
    term += 0
    if (term < last)
        wrong("after term " last)
    last = term
    if (term in leader && leader[term] != who)
        wrong("its leader was " leader[term])
    if (!(term in leader))
        terms++
    leader[term] = who
    if (who == self && term in reign && reign[term] != life)
        wrong("it led it in an earlier life")
    if (who == self)
        reign[term] = life
    if (term > highest)
        highest = term
}

END {
    printf "    %d lives, %d terms with a leader, the highest %d\n", lives,
        terms, highest
    if (terms < trials / 10) {
        print "    these are too few to show anything"
        failures++
    }
    exit failures > 0
}
