-- Returns an account. No row: it was deleted.
-- class: read
-- in: account uuid
-- rows: one
-- row: id uuid, role role, name text, surname text, email text
select id, role, name, surname, email from account where id = :account
