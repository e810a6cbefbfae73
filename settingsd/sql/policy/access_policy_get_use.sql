-- Returns whether an access policy is a default of its project, and the project's version. No row:
-- not found.
-- class: read
-- in: project uuid, id uuid
-- rows: one
-- row: version int8, is_default bool
select
    p.version,
    'AccessPolicy/' || a.id in (
        coalesce(p.settings->>'defaultPatientAccessPolicy', ''),
        coalesce(p.settings->>'DEFAULT_PRACTITIONER_ACCESS_POLICY', '')
    ) as is_default
from project p
join access_policy a on a.project_id = p.id
where p.id = :project and a.id = :id
