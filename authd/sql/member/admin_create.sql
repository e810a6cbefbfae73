-- Makes the person with an email address an admin: with a new account for `password_hash`, whose
-- address the operator vouches for, or if null, with the existing account. No row: an account with
-- the address was made meanwhile.
-- class: tx
-- in: email text, account uuid, name text null, surname text null, now int8
-- in: password_hash text null
-- in: project uuid, membership uuid, profile uuid, policy uuid null
-- rows: one
-- row: sequence int8, admin struct admin_create_out
with
account_inserted as (
    insert into account (id, role, email, name, surname, created_at)
    select :account, 'Practitioner', :email, :name, :surname, :now
    where :password_hash is not null
    on conflict (email) where role = 'Practitioner' do nothing
    returning id
),
credential_inserted as (
    insert into credential (account_id, password_hash, updated_at)
    select id, :password_hash, :now from account_inserted
),
-- include: email_verified_insert as email_verified(account = f.id, organization = null::uuid,
--     now = :now, from = account_inserted f),
owner as (
    select id, true as created from account_inserted
    union all
    select id, false
    from account
    where role = 'Practitioner' and email = :email and :password_hash is null
),
joined as (
    insert into membership (
        project_id, id, account_id, profile_id, admin, policy_id, created_at
    )
    select :project, :membership, id, :profile, true, :policy, :now from owner
    on conflict (account_id, project_id) do update set admin = true
    returning id, profile_id
),
-- include: audit(from = joined m, entity = coalesce(:audit.entity, 'ProjectMembership/' || m.id)),
-- include: change_insert as change(kind = 'membership', id = m.id, from = joined m)
select
    c.sequence,
    o.id as account,
    m.id as membership,
    m.profile_id as profile,
    o.created
from owner o, joined m, change_inserted c
