-- Returns the account that can set a password by this link, which stays valid, or without an
-- account the invited person. No row: the link was redeemed or replaced or has expired, or the
-- account is locked or not active.
-- class: read
-- in: id uuid, secret_hash bytea, now int8
-- rows: one
-- row: account uuid null, project uuid, email text, name text, surname text, installation bool
select r.account_id as account, r.project_id as project, a.email, a.name, a.surname, r.installation
from (select * from password_reset where id = :id limit 1) r
cross join
    -- include: account_of(row = r)
where r.secret_hash = :secret_hash and a.locked_at is null and
    -- include: not_expired(column = r.expires_at, now = :now)
    and
    -- include: account_active(account = a, now = :now)
union all
select null, i.project_id, i.email, i.name, i.surname, false
from invitation i
where i.id = :id and
    -- include: invitation_link(invitation = i, secret_hash = :secret_hash, now = :now)
