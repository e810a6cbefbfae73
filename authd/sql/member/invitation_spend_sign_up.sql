-- Turns a sign-up's link into a membership without admin rights. An existing membership doesn't
-- change. The admin's invitation stays pending.
-- class: tx
-- in: project uuid, id uuid, account uuid, now int8, new uuid, profile uuid, policy uuid null
-- rows: one
-- row: membership uuid
with
spent as (
    update invitation
    set sign_up_hash = null, sign_up_expires_at = null
    where project_id = :project and id = :id
    returning 1
),
joined as (
    insert into membership as m (
        project_id, id, account_id, profile_id, policy_id, created_at, invited_at
    )
    select :project, :new, :account, :profile, :policy, :now, :now from spent
    on conflict (account_id, project_id) do update set invited_at = m.invited_at
    returning id
),
-- include: audit(from = joined)
select id as membership from joined
