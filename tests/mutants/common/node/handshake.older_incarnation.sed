# An earlier process of a peer is welcome, too.
/^hello_judge(/,/^}/s/if (is_latest && incarnation > p->process.incarnation &&/if (/
