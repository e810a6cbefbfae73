-- Returns an account's live sessions in a project as FHIR R4 resources, after the id `after`.
-- class: read
-- in: project uuid, account uuid, subject text, after uuid, most int8
-- rows: many
-- row: id uuid, resource text
select
    s.id,
    -- include: export_basic(id = s.id, code = 'session', subject = :subject, created = s.created_at,
    --     values = {
    --         ('method', s.auth_method),
    --         ('address', s.remote_address),
    --         ('browser', s.browser),
    --         ('system', s.os),
    --         ('created', export_time(s.created_at)),
    --         ('last-used', export_time(s.last_updated))})
    as resource
from session s
where s.project_id = :project and s.account_id = :account and s.ended_at is null and s.id > :after
order by s.id
limit :most
