-- Finds the account that an admin would invite, by role and email address (a patient's in the
-- project only). Returns if it is a member, and if its address is verified for the organization.
-- No row: no account.
-- class: read
-- in: role role, project uuid, email text, now int8, organization uuid null
-- rows: one
-- row: id uuid, name text, surname text, member bool, proven bool
select
    a.id,
    a.name,
    a.surname,
    exists (
        select from membership m where m.account_id = a.id and m.project_id = :project
    ) as member,
    -- include: email_is_verified(account = a.id, organization = :organization)
    as proven
from account a
where :role = 'Practitioner' and a.role = 'Practitioner' and a.email = :email and
    -- include: account_active(account = a, now = :now)
union all
select a.id, a.name, a.surname, true, true
from account a
where :role = 'Patient' and a.role = 'Patient' and a.project_id = :project and a.email = :email and
    -- include: account_active(account = a, now = :now)
