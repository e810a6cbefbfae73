-- Returns a project's active accounts with an email address, at most one of each role, or only of
-- `role`. `locked`: also locked ones.
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
