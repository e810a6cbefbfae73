-- Lists a project's templates, up to `most` bytes and 1,000 templates, because older releases
-- allowed more. A template without a language has null there.
-- class: read
-- in: project uuid, most int8
-- rows: many
-- row: struct template_record
select
    -- include: template_columns(from = t)
from (
    select
        t.*,
        sum(
            -- include: template_bytes(from = t)
        ) over (order by t.name, t.language) as bytes
    from template t
    where t.project_id = :project
) t
where t.bytes <= :most
order by t.name, t.language
limit 1000
