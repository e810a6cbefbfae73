-- The active accounts with an e-mail address that belong to a project: at most one of each role, of
-- `role` alone where that is given. Locked ones only where `locked` asks for them.
-- class: read
-- in: project uuid, email text, role role null, locked bool, now int8
-- rows: many
-- row: id uuid, role role, name text, surname text
select a.id, a.role, a.name, a.surname
from account a
cross join
    -- include: membership_of(account = a.id, project = :project)
where a.email = :email and (a.role = 'Practitioner' or a.project_id = :project)
    and (:role is null or a.role = :role)
    and (:locked or not
        -- include: member_locked(account = a, membership = m)
    ) and
    -- include: account_active(account = a, now = :now)
order by a.role
limit 2
