-- Password hashes without current parameters: other systems', or older ones of this system. They
-- are counted, and few once their owners have signed in.
drop index concurrently if exists credential_imported;
create index concurrently credential_imported on credential (account_id)
    where password_hash not like '$argon2id$v=19$m=19456,t=2,p=1$%';
