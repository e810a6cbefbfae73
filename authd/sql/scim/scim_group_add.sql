-- Adds users to a group, if the project has them. Writes their rows of scim_user first.
-- class: tx
-- in: project uuid, id uuid, users uuid[]
-- rows: none
with
given as materialized (
    select distinct g.id from unnest(:users) g (id)
),
known as materialized (
    select u.id, u.account is not null as member
    from given g
    cross join
        -- include: scim_user_of(project = :project, id = g.id)
),
users_added as (
    insert into scim_user (project_id, id, membership_id, invitation_id)
    select :project, id, case when member then id end, case when not member then id end from known
    on conflict do nothing
)
insert into scim_group_member (project_id, group_id, user_id)
select :project, :id, id from known
on conflict do nothing
