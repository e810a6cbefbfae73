-- The account of a role and an address, of a patient in the project only, that an invitation is
-- for, and whom its address is verified for: a patient's for no one else, because the account is the
-- project's. No row: there is none.
-- class: read tx
-- in: role role, project uuid, email text, now int8, organization uuid null
-- rows: one
-- row: id uuid, verified bool, verified_for_all bool, verified_elsewhere bool
select
    a.id,
    -- include: email_is_verified(account = a.id, organization = :organization)
    as verified,
    -- include: email_is_verified(account = a.id, organization = null::uuid)
    as verified_for_all,
    -- include: email_is_verified_elsewhere(account = a.id, organization = :organization)
    as verified_elsewhere
from account a
where :role = 'Practitioner' and a.role = 'Practitioner' and a.email = :email and
    -- include: account_active(account = a, now = :now)
union all
select
    a.id,
    -- include: email_is_verified(account = a.id, organization = :organization)
    as verified,
    -- include: email_is_verified(account = a.id, organization = null::uuid)
    as verified_for_all,
    false as verified_elsewhere
from account a
where :role = 'Patient' and a.role = 'Patient' and a.project_id = :project and a.email = :email and
    -- include: account_active(account = a, now = :now)
