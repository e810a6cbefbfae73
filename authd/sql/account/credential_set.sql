-- Writes an account's password. Earlier proofs become void, as in credential_invalidate.
-- class: tx
-- in: account uuid, password_hash text, now int8
-- rows: none
insert into credential as c (account_id, password_hash, updated_at)
values (:account, :password_hash, :now)
on conflict (account_id) do update
set password_hash = excluded.password_hash, updated_at = excluded.updated_at,
    changes = c.changes + 1
