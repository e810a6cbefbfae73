-- The default language of a message's project at its enqueue: tried when the recipient's own is not mapped.
alter table message add column default_language text not null default '';
