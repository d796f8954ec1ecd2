# The former parent is not told of the wave that has been adopted.
/^extinction_adopt(/,/^}/s/extinction_explore(e, former, out);/;/
