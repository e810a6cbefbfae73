-- Makes an account an admin of a project, with a membership if there is none. `key`: the request's,
-- which runs once. No row: it already ran, or the account doesn't exist.
-- class: write
-- in: key uuid, account uuid, project uuid, membership uuid, profile uuid, policy uuid null
-- in: now int8
-- rows: one
-- row: sequence int8, membership uuid
with
granted_inserted as (
    insert into granted (key, granted_at)
    select :key, :now
    from account a
    where a.id = :account and a.role = 'Practitioner' and
        -- include: account_active(account = a, now = :now)
    for key share
    on conflict (key) do nothing
    returning key
),
joined as (
    insert into membership (
        project_id, id, account_id, profile_id, admin, policy_id, created_at
    )
    select :project, :membership, :account, :profile, true, :policy, :now from granted_inserted
    on conflict (account_id, project_id) do update set admin = true
    returning id
),
-- include: audit(from = joined m, entity = coalesce(:audit.entity, 'ProjectMembership/' || m.id)),
-- include: change_insert as change(kind = 'membership', id = m.id, from = joined m)
select sequence, id as membership from change_inserted
