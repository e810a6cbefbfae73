-- Writes the password of an account, whatever it was. What was proven by the old one is void, as by
-- credential_invalidate.
-- class: tx
-- in: account uuid, password_hash text, now int8
-- rows: none
insert into credential as c (account_id, password_hash, updated_at)
values (:account, :password_hash, :now)
on conflict (account_id) do update
set password_hash = excluded.password_hash, updated_at = excluded.updated_at,
    changes = c.changes + 1
