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
            -- include: scim_mapped_policy(project = :project, user = m.id, mapping = {(
            --     select place, group_key, policy_id from scim_mapping where project_id = :project
            -- ) p}),
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
