-- Finds a passkey's owner for an email. No row: deleted.
-- class: read
-- in: passkey uuid
-- rows: one
-- row: passkey text, email text, name text, surname text
select p.name as passkey, a.email, a.name, a.surname
from passkey p
cross join
    -- include: account_of(row = p)
where p.id = :passkey
