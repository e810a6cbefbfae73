-- Counts password hashes that are imported or outdated.
-- class: read
-- rows: one
-- row: count int8
select count(*) as count
from credential
where password_hash not like '$argon2id$v=19$m=19456,t=2,p=1$%'
