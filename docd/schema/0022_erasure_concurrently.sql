-- Objects whose bytes an erasure waits for.
drop index concurrently if exists object_erased_for;
create index concurrently object_erased_for on object (erased_for) where erased_for is not null;
