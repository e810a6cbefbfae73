-- Gives members of groups the access policy of the first mapping that has one of their groups, or
-- else the default. Leaves admins alone. Returns those that got another policy.
-- class: tx
-- in: project uuid, users uuid[], default_policy uuid
-- rows: many
-- row: id uuid
with
wanted as materialized (
    select
        m.id,
        coalesce(
            (
                select p.policy_id
                from scim_group_member gm
                join scim_group g on g.project_id = gm.project_id and g.id = gm.group_id
                join scim_mapping p
                    on p.project_id = g.project_id
                        and (p.group_key = g.id::text or p.group_key = g.external_id)
                where gm.project_id = :project and gm.user_id = m.id
                order by p.place
                limit 1
            ),
            :default_policy
        ) as policy_id
    from unnest(:users) u (id)
    cross join lateral (
        select id
        from membership
        where project_id = :project and id = u.id and not admin
        limit 1
    ) m
),
changed as (
    update membership m
    set policy_id = w.policy_id
    from wanted w
    where m.project_id = :project and m.id = w.id and not m.admin
        and m.policy_id is distinct from w.policy_id
    returning m.id
),
-- include: audit(from = changed, project = :project, entity = {'ProjectMembership/' || changed.id})
select id from changed
