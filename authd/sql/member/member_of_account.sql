-- The membership of an account in a project. No row: it has none.
-- class: read
-- in: account uuid, project uuid
-- rows: one
-- row: id uuid
select m.id
from
    -- include: membership_of(account = :account, project = :project)
