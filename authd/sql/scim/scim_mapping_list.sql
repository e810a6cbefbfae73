-- Returns the mappings of a project's groups to access policies, in the order of preference.
-- class: read
-- in: project uuid
-- rows: many
-- row: struct scim_mapping
select group_key as "group", 'AccessPolicy/' || policy_id as "accessPolicy"
from scim_mapping
where project_id = :project
order by place
