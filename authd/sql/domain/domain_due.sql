-- Takes verified domains whose records were not looked up since `before`, so that no other instance
-- looks them up.
-- class: write
-- in: before int8, now int8, most int8
-- rows: many
-- row: project uuid, domain text, token text, missing_since int8 null
update project_domain d
set checked_at = :now
from (
    select project_id, domain
    from project_domain
    where verified_at is not null and not by_operator and checked_at <= :before
    order by checked_at
    limit :most
    for update skip locked
) due
where d.project_id = due.project_id and d.domain = due.domain
returning d.project_id as project, d.domain, d.token, d.missing_since
