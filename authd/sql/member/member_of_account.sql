-- Finds an account's membership in a project. No row: not a member.
-- class: read
-- in: account uuid, project uuid
-- rows: one
-- row: id uuid
select m.id
from
    -- include: membership_of(account = :account, project = :project)
