-- The version of project p and its columns for struct settings_record and struct settings_values.
-- row: version int8, record struct settings_record, settings struct settings_values
p.version,
p.id as "projectId",
'"' || p.version || '"' as etag,
p.settings->>'defaultPatientAccessPolicy' as "defaultPatientAccessPolicy",
(p.settings->>'PATIENT_REGISTRATION_ENABLED')::boolean as "PATIENT_REGISTRATION_ENABLED",
(p.settings->>'PATIENT_INVITATION_ENABLED')::boolean as "PATIENT_INVITATION_ENABLED",
(p.settings->>'PATIENT_LOGIN_ENABLED')::boolean as "PATIENT_LOGIN_ENABLED",
(p.settings->>'PRACTITIONER_REGISTRATION_ENABLED')::boolean as "PRACTITIONER_REGISTRATION_ENABLED",
(p.settings->>'PRACTITIONER_INVITATION_ENABLED')::boolean as "PRACTITIONER_INVITATION_ENABLED",
(p.settings->>'PRACTITIONER_LOGIN_ENABLED')::boolean as "PRACTITIONER_LOGIN_ENABLED",
(p.settings->>'CLINICIAN_INVITE_ON_BUSINESS_EMAIL')::boolean
    as "CLINICIAN_INVITE_ON_BUSINESS_EMAIL",
(p.settings->>'inheritProviders')::boolean as "inheritProviders",
p.settings->>'DEFAULT_PRACTITIONER_ACCESS_POLICY' as "DEFAULT_PRACTITIONER_ACCESS_POLICY",
p.settings->>'PRACTITIONER_APP_URL' as "PRACTITIONER_APP_URL",
p.settings->>'PATIENT_APP_URL' as "PATIENT_APP_URL"
