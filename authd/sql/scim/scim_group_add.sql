-- Adds users to a group, if the project has them. Writes their rows of scim_user first.
-- class: tx
-- in: project uuid, id uuid, users uuid[]
-- rows: none
with
given as materialized (
    select distinct u.id from unnest(:users) u (id)
),
known as materialized (
    select g.id, m.id as membership_id, i.id as invitation_id
    from given g
    left join lateral (
        select o.id
        from (select * from membership where project_id = :project and id = g.id limit 1) o
        cross join
            -- include: account_of(row = o)
        where a.role = 'Practitioner'
    ) m on true
    left join lateral (
        select id
        from invitation
        where project_id = :project and id = g.id and role = 'Practitioner'
        limit 1
    ) i on true
    where m.id is not null or i.id is not null
),
users_added as (
    insert into scim_user (project_id, id, membership_id, invitation_id)
    select :project, id, membership_id, case when membership_id is null then invitation_id end
    from known
    on conflict do nothing
)
insert into scim_group_member (project_id, group_id, user_id)
select :project, :id, id from known
on conflict do nothing
