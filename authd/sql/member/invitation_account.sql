-- Finds an invitation's account by role and email address (a patient's in the project only), and
-- for whom its address is verified. A patient's account is the project's, so it is verified for no
-- one else. No row: no account.
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
