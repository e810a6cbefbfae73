-- `last`: the membership is an admin's, and no other admin of the project is active: neither locked
-- nor scheduled for deletion. `last_local`: it is the only one that can sign in without an identity
-- provider, and the project has one that is enforced.
-- class: tx
-- in: project uuid, membership uuid
-- rows: one
-- row: last bool, last_local bool
with
admin as (
    select
        m.id = :membership as own,
        a.delete_at is null and m.end_at is null and not
        -- include: member_locked(account = a, membership = m)
        as active,
        -- include: local_admin(account = a, membership = m)
        as local
    from membership m
    cross join
        -- include: account_of(row = m)
    where m.project_id = :project and m.admin
)
select
    exists (select from admin where own)
        and not exists (select from admin where not own and active) as last,
    exists (select from admin where own and local)
        and not exists (select from admin where not own and local)
        and exists (
            select from identity_provider where project_id = :project and enforced <> '{}'
        ) as last_local
