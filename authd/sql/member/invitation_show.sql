-- Finds a link's invitation, with its inviter (null: not a member). by_sign_up: it is a sign-up's
-- link. No row: invalid link.
-- class: read
-- in: id uuid, secret_hash bytea, now int8
-- rows: one
-- row: project uuid, role role, email text, admin bool, by_sign_up bool, inviter text null
select
    i.project_id as project,
    i.role,
    i.email,
    i.admin,
    i.secret_hash <> :secret_hash as by_sign_up,
    (
        select a.name || ' ' || a.surname
        from membership m
        join account a on a.id = m.account_id
        where m.project_id = i.project_id and m.id = i.invited_by
    ) as inviter
from invitation i
where i.id = :id and
    -- include: invitation_link(invitation = i, secret_hash = :secret_hash, now = :now)
