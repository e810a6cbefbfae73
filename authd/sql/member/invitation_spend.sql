-- Turns an invitation into a membership. A membership that the account already has is kept and gets
-- what the invitation gives. The directory's record (SCIM) moves along.
-- class: tx
-- in: project uuid, id uuid, account uuid, now int8
-- rows: one
-- row: membership uuid
with
spent as (
    delete from invitation
    where project_id = :project and id = :id
    returning id, profile_id, admin, policy_id, invited_at
),
joined as (
    insert into membership as m (
        project_id, id, account_id, profile_id, admin, policy_id, created_at, invited_at
    )
    select :project, id, :account, profile_id, admin, policy_id, :now, invited_at from spent
    on conflict (account_id, project_id) do update set
        admin = m.admin or excluded.admin,
        policy_id = coalesce(excluded.policy_id, m.policy_id),
        invited_at = excluded.invited_at
    returning id
),
directory as (
    update scim_user s
    set id = j.id, membership_id = j.id, invitation_id = null
    from joined j
    where s.project_id = :project and s.id = :id and (
        j.id = :id
        or not exists (select from scim_user o where o.project_id = :project and o.id = j.id)
    )
),
-- include: audit(from = joined)
select id as membership from joined
