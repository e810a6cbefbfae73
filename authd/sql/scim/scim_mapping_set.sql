-- Replaces the mappings of a project's groups to access policies, in this order.
-- class: tx
-- in: project uuid, groups text[], policies uuid[]
-- rows: none
with
deleted as (
    delete from scim_mapping
    where project_id = :project and place > cardinality(:groups)
),
written as (
    insert into scim_mapping (project_id, place, group_key, policy_id)
    select :project, g.place, g.key, g.policy
    from unnest(:groups, :policies) with ordinality g (key, policy, place)
    on conflict (project_id, place) do update
    set group_key = excluded.group_key, policy_id = excluded.policy_id
),
-- include: audit(from = (select) one)
select
