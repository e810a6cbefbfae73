-- Password hashes that are not of the present parameters: of other systems, or made here earlier. They are
-- counted, and few once their owners have signed in.
drop index concurrently if exists credential_imported;
create index concurrently credential_imported on credential (account_id)
    where password_hash not like '$argon2id$v=19$m=19456,t=2,p=1$%';
