-- Returns what readiness needs beyond struct tenant: the names of the project's settings that are
-- set, its languages, separated by commas, and its default policies' names. No row: project not
-- found.
-- class: read
-- in: project uuid
-- rows: one
-- row: written text, languages text, default_language text, patient_policy text null
-- row: practitioner_policy text null
select
    coalesce((select string_agg(k, ',') from jsonb_object_keys(p.settings) k), '') as written,
    array_to_string(p.languages, ',') as languages,
    p.default_language,
    (
        select a.name
        from access_policy a
        where a.project_id = p.id
            and a.id = substr(p.settings->>'defaultPatientAccessPolicy', length('AccessPolicy/') + 1)::uuid
    ) as patient_policy,
    (
        select a.name
        from access_policy a
        where a.project_id = p.id
            and a.id = substr(p.settings->>'DEFAULT_PRACTITIONER_ACCESS_POLICY', length('AccessPolicy/') + 1)::uuid
    ) as practitioner_policy
from project p
where p.id = :project
