-- Returns an account's links with a project's identity providers as FHIR R4 resources, after the id
-- `after`.
-- class: read
-- in: project uuid, account uuid, subject text, after uuid, most int8
-- rows: many
-- row: id uuid, resource text
select
    i.id,
    -- include: export_basic(id = i.id, code = 'identity', subject = :subject,
    --     created = i.created_at,
    --     values = {
    --         ('issuer', i.issuer),
    --         ('name', i.subject),
    --         ('created', export_time(i.created_at)),
    --         ('last-used', export_time(i.last_used_at))})
    as resource
from identity i
where i.account_id = :account and i.project_id = :project and i.id > :after
order by i.id
limit :most
