# A process that was declared dead keeps its incarnation.
/^node_declare_dead(/,/^}/s/durable.incarnation + 1,/durable.incarnation,/
