-- What calls of an http bot are signed with, sealed. Null: derived from the daemon's key, by a build before this one;
-- filled before that key may go.
alter table bot add column signing_sealed bytea;
