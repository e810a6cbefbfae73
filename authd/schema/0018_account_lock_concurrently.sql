-- Lists of accounts are in the order of addresses, whatever the database's collation.
drop index concurrently if exists account_by_email;
create index concurrently account_by_email on account ((email collate "C"), id);
drop index concurrently if exists account_locked;
create index concurrently account_locked on account ((email collate "C"), id) where locked_at is not null;
