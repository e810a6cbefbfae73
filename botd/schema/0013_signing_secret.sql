-- The secret that signs calls of an http bot, sealed. Null: an earlier release derived it from the daemon's key; it is
-- stored before that key can be removed.
alter table bot add column signing_sealed bytea;
