-- Not for the role of a daemon to create: that needs CREATE on the database.
create extension if not exists pg_trgm schema doc;
create extension if not exists btree_gin schema doc;
