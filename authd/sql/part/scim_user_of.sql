-- The user u {id} of the directory of {project}, at most one: a practitioner who is a member, or
-- invited. Lateral queries with limits are always planned as lookups, see membership_of.
-- args: project, id
lateral (
    select
        -- include: scim_user(from = m, person = a, account = a.id, created = m.created_at, until = null::bigint,
        --     active = {a.locked_at is null and m.locked_at is null})
    from (select * from membership where project_id = {project} and id = {id} limit 1) m
    cross join
        -- include: account_of(row = m)
    left join lateral (
        select * from scim_user where project_id = {project} and id = m.id limit 1
    ) s on true
    where a.role = 'Practitioner'
    union all
    select
        -- include: scim_user(from = i, person = i, account = null::uuid, created = i.invited_at,
        --     until = i.expires_at, active = false)
    from (select * from invitation where project_id = {project} and id = {id} limit 1) i
    left join lateral (
        select * from scim_user where project_id = {project} and id = i.id limit 1
    ) s on true
    where i.role = 'Practitioner'
    limit 1
) u
