-- Lists of accounts go by address, in one order whatever the collation of the database is.
drop index concurrently if exists account_by_email;
create index concurrently account_by_email on account ((email collate "C"), id);
drop index concurrently if exists account_locked;
create index concurrently account_locked on account ((email collate "C"), id) where locked_at is not null;
