-- Returns an account's consents in a project as FHIR R4 resources, after the client `after`. A
-- resource's id is derived from the client's, which can be a URL.
-- class: read
-- in: project uuid, account uuid, subject text, after text, most int8
-- rows: many
-- row: client_id text, resource text
select
    c.client_id,
    json_strip_nulls(json_build_object(
        'resourceType', 'Consent',
        'id', md5(c.client_id)::uuid,
        'status', 'active',
        'scope', json_build_object('text', 'What an application may do'),
        'category', json_build_array(json_build_object('text', c.client_name)),
        'patient', case when :subject like 'Patient/%' then json_build_object('reference', :subject) end,
        'performer', json_build_array(json_build_object('reference', :subject)),
        'organization', json_build_array(json_build_object('reference', 'Organization/' || c.project_id)),
        'dateTime', export_time(c.created_at),
        'policyRule', json_build_object('text', c.scope),
        'extension', json_build_array(
            json_build_object('url', 'urn:atrium:export/client', 'valueString', c.client_id),
            json_build_object('url', 'urn:atrium:export/updated', 'valueString', export_time(c.updated_at))
        )
    ))::text as resource
from oauth_consent c
where c.project_id = :project and c.account_id = :account and c.client_id > :after
order by c.client_id
limit :most
