# SPDX-License-Identifier: ISC
# awk -f edit.awk TEXT FILE: a configuration of electd with each setting of TEXT
# in place of the one of the same name, or added. A setting begins at the begin
# of a line.
depth == 0 { name = $1 }
{ depth += gsub(/[({]/, "&") - gsub(/[)}]/, "&") }
NR == FNR { text[name] = text[name] $0 "\n"; next }
! (name in text) { print }
name in text && depth == 0 { printf "%s", text[name]; delete text[name] }
END { for (name in text) printf "%s", text[name] }
