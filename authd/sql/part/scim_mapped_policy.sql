-- The access policy of the first row p (place, group_key, policy_id) of {mapping} that has a group of
-- user {user} of {project}.
-- args: project, user, mapping
(
    select p.policy_id
    from scim_group_member gm
    join scim_group g on g.project_id = gm.project_id and g.id = gm.group_id
    join {mapping} on p.group_key = g.id::text or p.group_key = g.external_id
    where gm.project_id = {project} and gm.user_id = {user}
    order by p.place
    limit 1
)
