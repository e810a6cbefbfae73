-- The account policy as JSON, and the columns for struct tenant, of project p, its tenant code c
-- and its tree t. Unset switches have their default.
-- row: account_policy text null, tenant struct tenant
p.account_policy::text,
p.id as "projectId",
p.parent_id as "parentId",
p.name,
p.branding->>'name' as "brandName",
c.code as "tenantCode",
t.root_id as "rootId",
t.suspended,
exists (select from project_hold h where h.project_id = p.id offset 0) as "readOnly",
p.created_at as "createdAt",
p.deleting_at is not null as deleting,
coalesce((p.settings->>'PATIENT_REGISTRATION_ENABLED')::boolean, true) as "patientRegistration",
coalesce((p.settings->>'PATIENT_INVITATION_ENABLED')::boolean, true) as "patientInvitation",
coalesce((p.settings->>'PATIENT_LOGIN_ENABLED')::boolean, true) as "patientLogin",
coalesce((p.settings->>'PRACTITIONER_REGISTRATION_ENABLED')::boolean, false)
    as "practitionerRegistration",
coalesce((p.settings->>'PRACTITIONER_INVITATION_ENABLED')::boolean, true)
    as "practitionerInvitation",
coalesce((p.settings->>'PRACTITIONER_LOGIN_ENABLED')::boolean, true) as "practitionerLogin",
coalesce((p.settings->>'CLINICIAN_INVITE_ON_BUSINESS_EMAIL')::boolean, false)
    as "inviteOnBusinessEmail",
coalesce((p.settings->>'inheritProviders')::boolean, true) as "inheritProviders",
substr(p.settings->>'defaultPatientAccessPolicy', length('AccessPolicy/') + 1)::uuid
    as "defaultPatientPolicy",
substr(p.settings->>'DEFAULT_PRACTITIONER_ACCESS_POLICY', length('AccessPolicy/') + 1)::uuid
    as "defaultPractitionerPolicy",
p.settings->>'PATIENT_APP_URL' as "patientAppUrl",
p.settings->>'PRACTITIONER_APP_URL' as "practitionerAppUrl",
p.default_language as "defaultLanguage"
