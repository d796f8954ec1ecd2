# A later process of the same node counts as the owner.
s/return a.id == b.id \&\& a.incarnation == b.incarnation;/return a.id == b.id;/
