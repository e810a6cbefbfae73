-- A sign-in that waits for its mailed code: it has not expired, and fewer than five wrong ones were
-- entered.
-- class: read
-- in: id_hash bytea, role role, now int8
-- rows: one
-- row: tenant uuid, email text, account uuid null, challenge text
select tenant_id as tenant, email, account_id as account, challenge
from mail_code
where id_hash = :id_hash and role = :role and failures < 5 and
    -- include: not_expired(column = expires_at, now = :now)
