-- Records whether the record of a verified domain was found.
-- class: write
-- in: project uuid, domain text, missing_since int8 null
-- rows: none
update project_domain
set missing_since = :missing_since
where project_id = :project and domain = :domain and verified_at is not null
