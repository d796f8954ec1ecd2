/* SPDX-License-Identifier: ISC */
/*
 * What the SVG is made of: plain shapes and one style sheet, so that it looks
 * the same in a browser, on paper and in a drawing program.
 */
#include "daemon/history/diagram_private.h"

/* The colours of the kinds of messages. People who cannot see all colours can
 * tell them apart too. */
static const char *const colours[MESSAGE_KINDS_MAX] = { "#2563ab", "#c2410c",
	"#15803d", "#a21c6f", "#6d4bc3", "#a16207", "#0f766e", "#57606a" };

static const char style[] =
    "<style>\n"
    "text { font-family: 'DejaVu Sans', Verdana, sans-serif; }\n"
    ".title { font-size: 20px; font-weight: bold; fill: #1f2933; }\n"
    ".facts { font-size: 13px; fill: #52606d; }\n"
    ".legend { font-size: 12px; fill: #323f4b; }\n"
    ".axis { font-size: 10px; fill: #9aa5b1; text-anchor: end; }\n"
    ".grid { stroke: #eef1f4; stroke-width: 1; }\n"
    ".asleep { stroke: #cbd2d9; stroke-width: 1.5; }\n"
    ".awake { stroke: #7b8794; stroke-width: 2; }\n"
    ".follows { stroke: #3e4c59; stroke-width: 3; }\n"
    ".leads { stroke: #e0a100; stroke-width: 5; }\n"
    ".again { stroke: #cbd2d9; stroke-width: 1.5;"
    " stroke-dasharray: 3 4; }\n"
    ".node { fill: #ffffff; stroke: #3e4c59; stroke-width: 2; }\n"
    ".leader { fill: #ffd34d; stroke: #3e4c59; stroke-width: 2; }\n"
    ".ghost { fill: #ffffff; stroke: #cbd2d9; stroke-width: 1.5;"
    " stroke-dasharray: 3 3; }\n"
    ".id { font-size: 13px; font-weight: bold; fill: #1f2933;"
    " text-anchor: middle; }\n"
    ".pale { fill: #9aa5b1; }\n"
    ".arrow { stroke-width: 1.6; fill: none; }\n"
    ".strip { fill: #ffffff; fill-opacity: 0.8; }\n"
    ".label { text-anchor: middle; }\n"
    ".start { fill: #1f2933; }\n"
    ".unknown { stroke-dasharray: 5 3; }\n"
    ".cut { stroke: #d61f1f; stroke-width: 2; fill: none;"
    " stroke-dasharray: 7 4; }\n"
    ".front { stroke: #d61f1f; stroke-width: 2; fill: none; }\n"
    ".broken { stroke: #d61f1f; stroke-width: 7; stroke-opacity: 0.3; }\n"
    ".says { font-size: 12px; font-weight: bold; fill: #d61f1f; }\n"
    "</style>\n";

const char *
diagram_colour(unsigned kind)
{
	return colours[kind];
}

static void
print_arrowheads(FILE *out)
{
	fputs("<defs>\n", out);
	for (unsigned i = 0; i < MESSAGE_KINDS_MAX; i++)
		fprintf(out,
		    "<marker id=\"head%u\" viewBox=\"0 0 10 10\" refX=\"10\""
		    " refY=\"5\" markerWidth=\"9\" markerHeight=\"9\""
		    " markerUnits=\"userSpaceOnUse\" orient=\"auto\">"
		    "<path d=\"M0 1 L10 5 L0 9 L2.5 5 z\" fill=\"%s\"/>"
		    "</marker>\n",
		    i, colours[i]);
	fputs("</defs>\n", out);
}

void
diagram_print_style(FILE *out)
{
	fputs(style, out);
	print_arrowheads(out);
}

void
diagram_print_start(FILE *out, double x, double y)
{
	fprintf(out, "<path class=\"start\" d=\"M%.1f %.1f l-6 -10 h12 z\"/>\n",
	    x, y);
}

void
diagram_print_circle(
    FILE *out, const char *class, double x, double y, double radius)
{
	fprintf(out,
	    "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.0f\"/>\n",
	    class, x, y, radius);
}
