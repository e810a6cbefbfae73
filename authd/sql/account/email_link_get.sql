-- Returns a valid link (`kind`, see the part email_link_values; `recipient`, the address to which
-- it was sent) and its account, with password, if any, and count of credential changes. No row: the
-- link was redeemed or replaced or has expired, or the account is not active.
-- class: read
-- in: id uuid, secret_hash bytea, now int8
-- rows: one
-- row: account uuid, project uuid, installation bool, kind text, recipient text, role role
-- row: home uuid null, email text, name text, surname text, password_hash text null
-- row: changes int8 null
select
    l.account_id as account, l.project_id as project, l.installation, l.kind, l.email as recipient,
    a.role, a.project_id as home, a.email, a.name, a.surname, c.password_hash, c.changes
from (select * from email_link where id = :id limit 1) l
join account a on a.id = l.account_id
left join credential c on c.account_id = a.id
where l.secret_hash = :secret_hash and
    -- include: not_expired(column = l.expires_at, now = :now)
    and
    -- include: account_active(account = a, now = :now)
