-- Returns a sign-in that waits for its emailed code: it has not expired and has had fewer than five
-- wrong codes.
-- class: read
-- in: id_hash bytea, role role, now int8
-- rows: one
-- row: tenant uuid, email text, account uuid null, challenge text
select tenant_id as tenant, email, account_id as account, challenge
from mail_code
where id_hash = :id_hash and role = :role and failures < 5 and
    -- include: not_expired(column = expires_at, now = :now)
