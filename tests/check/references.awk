# SPDX-License-Identifier: ISC
# Reports each reference to something that does not exist: a document *.md; a
# section of it (PROTOCOL.md, Lease; or of any document, in quotation marks);
# in PROTOCOL.md and CONTRIBUTING.md a function() and a source file; and in the
# tables of PROTOCOL.md a planted bug (FILE.BUG). Its arguments are all files of the tree. A section's name must be
# followed by something else than a letter, a digit or a space. Of scripts only
# the comments count.

# Paragraphs are read as one line: a reference may go over the end of a line.
function paragraph_end(    rest, document, offset, at) {
	rest = paragraph
	offset = 0
	while (match(rest, /[$A-Za-z0-9_.\/-]+\.md/)) {
		document = substr(rest, RSTART, RLENGTH)
		at = RSTART
		rest = substr(rest, RSTART + RLENGTH)
		if (document !~ /\$/ && substr(rest, 1, 1) !~ /[A-Za-z0-9_]/)
			note(document, rest, offset + at)
		offset += at + length(document) - 1
	}
	if (is_protocol || is_contributing)
		note_names()
	paragraph = ""
	lines = 0
}
function line_of(position,    i) {
	for (i = lines; i > 1 && begins[i] > position; i--)
		;
	return place[i]
}
function note(document, rest, position) {
	references++
	where[references] = line_of(position)
	documents[references] = document
	rests[references] = rest
}
function note_names(    text, name) {
	text = paragraph
	while (match(text, /[a-z_][a-z_0-9]*\(\)/)) {
		name = substr(text, RSTART, RLENGTH - 2)
		text = substr(text, RSTART + RLENGTH)
		called[name] = place[1]
	}
	text = paragraph
	while (match(text, /(common|daemon|tests)\/[a-z_\/]*\.[ch]/)) {
		sources[substr(text, RSTART, RLENGTH)] = place[1]
		text = substr(text, RSTART + RLENGTH)
	}
	if (!is_protocol || paragraph !~ /^\|/)
		return
	text = paragraph
	while (match(text, /[a-z_]+\.[a-z_]+/)) {
		name = substr(text, RSTART, RLENGTH)
		text = substr(text, RSTART + RLENGTH)
		planted[name] = place[1]
	}
}
function add(text) {
	lines++
	begins[lines] = length(paragraph) + 1
	place[lines] = FILENAME ":" FNR
	paragraph = paragraph text " "
}
function base(path) {
	sub(/.*\//, "", path)
	return path
}
# A name without a directory may be that of a document anywhere.
function is_there(document) {
	return (document in exists) ||
	    (document !~ /\// && (base(document) in exists))
}
# True if the text begins with the name of a section, and no more than that.
function cites(document, rest,    i, name, after) {
	sub(/^, +"?/, "", rest)
	for (i = 1; i <= headings; i++) {
		name = heading[i]
		after = substr(rest, length(name) + 1, 1)
		if ((document == file[i] || document == base(file[i])) &&
		    index(rest, name) == 1 && after !~ /[A-Za-z0-9 ]/)
			return 1
	}
	return 0
}
# Only PROTOCOL.md is cited without quotation marks.
function is_citation(document, rest) {
	return rest ~ /^, +"/ ||
	    (base(document) == "PROTOCOL.md" && rest ~ /^, +[A-Z]/)
}
function complain(at, what) {
	printf "%s: %s\n", at, what
	bad = 1
}

FNR == 1 {
	paragraph_end()
	exists[FILENAME] = 1
	exists[base(FILENAME)] = 1
	is_protocol = base(FILENAME) == "PROTOCOL.md"
	is_contributing = base(FILENAME) == "CONTRIBUTING.md"
	is_script = FILENAME ~ /\.(sh|awk|py)$/
}
FILENAME ~ /\.sed$/ && FNR > 1 { next }
FILENAME ~ /\.c$/ && /^[a-z_][a-z_0-9]*\(/ {
	defined = $0
	sub(/\(.*/, "", defined)
	functions[defined] = 1
}
FILENAME ~ /\.md$/ && /^#+ / {
	paragraph_end()
	headings++
	file[headings] = FILENAME
	heading[headings] = $0
	sub(/^#+ ([0-9.]+ )?/, "", heading[headings])
	next
}
is_script && !/^[ \t]*#/ {
	paragraph_end()
	next
}
{
	text = $0
	sub(/^[ \t]*(\/\*|\*\/|\*|#|\/\/|\.\\")?[ \t]*/, "", text)
	sub(/[ \t]*\*\/[ \t]*$/, ".", text)
	if (text == "" || /^\|/)
		paragraph_end()
	if (text != "")
		add(text)
}
END {
	paragraph_end()
	for (i = 1; i <= references; i++) {
		document = documents[i]
		if (!is_there(document))
			complain(where[i], document " is not in the tree")
		else if (is_citation(document, rests[i]) &&
		    !cites(document, rests[i]))
			complain(where[i], document " has no section named " \
			    substr(rests[i], 3, 30) "...")
	}
	for (name in called)
		if (!(name in functions))
			complain(called[name], "there is no " name "()")
	for (name in sources)
		if (!(name in exists))
			complain(sources[name], "there is no " name)
	for (name in planted)
		if (!((name ".sed") in exists))
			complain(planted[name], "no bug " name " is planted")
	if (!("common/PROTOCOL.md" in exists))
		complain("common/PROTOCOL.md", "is not among the arguments")
	exit bad
}
