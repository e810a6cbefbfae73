-- Counts who would get which access policy from these mappings, as scim_policy_apply gives them.
-- class: read
-- in: project uuid, groups text[], policies uuid[], default_policy uuid
-- rows: many
-- row: struct scim_preview_row
with
wanted as materialized (
    select
        m.policy_id as before_id,
        coalesce(
            -- include: scim_mapped_policy(project = :project, user = m.id, mapping = {unnest(:groups, :policies) with ordinality p (group_key, policy_id, place)}),
            :default_policy
        ) as after_id
    from (select distinct user_id from scim_group_member where project_id = :project) u
    cross join lateral (
        select id, policy_id
        from membership
        where project_id = :project and id = u.user_id and not admin
        limit 1
    ) m
)
select
    'AccessPolicy/' || c.id as "accessPolicy",
    sum(c.before) as before,
    sum(c.after) as after,
    sum(c.changed) as changed
from wanted
cross join lateral (
    values (before_id, 1, 0, 0), (after_id, 0, 1, (after_id is distinct from before_id)::int)
) c (id, before, after, changed)
group by c.id
order by after desc, c.id
limit 1000
