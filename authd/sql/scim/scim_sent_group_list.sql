-- Returns the groups of a project's directory, by name, with how many members each has.
-- class: read
-- in: project uuid
-- rows: many
-- row: struct scim_sent_group
select
    g.id,
    g.display_name as "displayName",
    g.external_id as "externalId",
    (
        select count(*)
        from scim_group_member gm
        where gm.project_id = :project and gm.group_id = g.id
    ) as members
from scim_group g
where g.project_id = :project
order by lower(g.display_name), g.id
limit 1000
