# SPDX-License-Identifier: ISC
# Makes the unit X of a host of one cluster, whose configuration is electd.conf,
# out of the template X@, of a host of several.
s/@\(%i\|NAME\)//g
s/ \(\(in\|of\) \)\?cluster %i$//
s,/\(%i\|NAME\)\.changed,/changed,g
s,/\(%i\|NAME\)\.,/electd.,g
