-- Locks the invitation of a link: of two requests with one link one gets the row. No row: another
-- has spent it, or the link has expired.
-- class: tx
-- in: project uuid, id uuid, secret_hash bytea, now int8
-- rows: one
-- row: role role, email text, by_sign_up bool
select i.role, i.email, i.secret_hash <> :secret_hash as by_sign_up
from invitation i
where i.project_id = :project and i.id = :id and
    -- include: invitation_link(invitation = i, secret_hash = :secret_hash, now = :now)
for update
