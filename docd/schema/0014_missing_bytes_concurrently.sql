drop index concurrently if exists document_missing;
create index concurrently document_missing on document (missing_at) where missing_at is not null;
-- Files in the store are named only by object.
drop index concurrently if exists object_id;
create index concurrently object_id on object (id);
