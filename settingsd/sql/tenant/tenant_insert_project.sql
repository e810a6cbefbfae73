-- Adds a project from another installation: without parent, not being deleted, and suspended until
-- an operator resumes it. A repeated call still finds it equal after that. Reads the settings to
-- reject those that sql/part/tenant.sql could not read: they would make every statement fail that
-- lists projects.
-- call: tenant_add
with
-- include: tenant_insert(table = project, match = {t.id = g.id},
--     project = {case when g.suspended and g.parent_id is null and
--         g.deleting_at is null and num_nulls(
--         (g.settings->>'PATIENT_REGISTRATION_ENABLED')::boolean,
--         (g.settings->>'PATIENT_INVITATION_ENABLED')::boolean,
--         (g.settings->>'PATIENT_LOGIN_ENABLED')::boolean,
--         (g.settings->>'PRACTITIONER_REGISTRATION_ENABLED')::boolean,
--         (g.settings->>'PRACTITIONER_INVITATION_ENABLED')::boolean,
--         (g.settings->>'PRACTITIONER_LOGIN_ENABLED')::boolean,
--         (g.settings->>'CLINICIAN_INVITE_ON_BUSINESS_EMAIL')::boolean,
--         (g.settings->>'inheritProviders')::boolean,
--         substr(g.settings->>'defaultPatientAccessPolicy',
--             length('AccessPolicy/') + 1)::uuid,
--         substr(g.settings->>'DEFAULT_PRACTITIONER_ACCESS_POLICY',
--             length('AccessPolicy/') + 1)::uuid) >= 0 then g.id end}, own = t.id,
--     state = {json_populate_record(t, '{"suspended":true}')}),
-- include: audit(from = tenant_insert_found)
select
    (select count(*) from tenant_insert_added) as added,
    (select count(*) from tenant_insert_same) as same
