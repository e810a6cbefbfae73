-- Records what the directory says of a user. No row: neither a member nor invited.
-- class: tx
-- in: project uuid, id uuid, user_name text null, external_id text null
-- rows: one
with
written as (
    insert into scim_user (
        project_id, id, membership_id, invitation_id, user_name, external_id
    )
    select u.project_id, u.id, u.membership_id, u.invitation_id, :user_name, :external_id
    from (
        select project_id, id, id as membership_id, null::uuid as invitation_id
        from membership
        where project_id = :project and id = :id
        union all
        select project_id, id, null, id from invitation where project_id = :project and id = :id
    ) u
    on conflict (project_id, id) do update
    set user_name = excluded.user_name, external_id = excluded.external_id
    returning id
),
-- include: audit(from = written)
select from written
