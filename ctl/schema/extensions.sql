-- A daemon's role cannot create these: that needs CREATE on the database.
create extension if not exists pg_trgm schema doc;
create extension if not exists btree_gin schema doc;
