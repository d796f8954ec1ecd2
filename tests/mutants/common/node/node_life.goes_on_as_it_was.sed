# A process that was declared dead keeps its incarnation.
/^node_declare_dead(/,/^}/s/record.incarnation + 1,/record.incarnation,/
