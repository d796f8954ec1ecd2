# A node does not send the wave that it adopts to its former parent.
/^extinction_adopt(/,/^}/s/extinction_explore(e, former, out);/;/
