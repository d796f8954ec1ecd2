# A process that was declared dead keeps its incarnation.
# seed: 2
/^node_declare_dead(/,/^}/s/durable.incarnation + 1,/durable.incarnation,/
