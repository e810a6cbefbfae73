-- Locks a link's invitation, so that one of two requests gets the row. No row: used or expired.
-- class: tx
-- in: project uuid, id uuid, secret_hash bytea, now int8
-- rows: one
-- row: role role, email text, by_sign_up bool
select i.role, i.email, i.secret_hash <> :secret_hash as by_sign_up
from invitation i
where i.project_id = :project and i.id = :id and
    -- include: invitation_link(invitation = i, secret_hash = :secret_hash, now = :now)
for update
