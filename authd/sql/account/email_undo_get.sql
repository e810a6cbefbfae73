-- Returns a valid undo link: its account, the old address and its verifications (an array as text).
-- No row: the link was redeemed or has expired, or the account is not active.
-- class: read
-- in: id uuid, secret_hash bytea, now int8
-- rows: one
-- row: account uuid, project uuid, installation bool, email text, name text, surname text
-- row: organizations text, changed_at int8
select
    u.account_id as account, u.project_id as project, u.installation, u.email, a.name, a.surname,
    u.organizations::text, u.changed_at
from (select * from email_undo where id = :id limit 1) u
join account a on a.id = u.account_id
where u.secret_hash = :secret_hash and
    -- include: not_expired(column = u.expires_at, now = :now)
    and
    -- include: account_active(account = a, now = :now)
