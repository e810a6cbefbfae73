-- The templates of a project, the first `most` bytes of them and at most 1,000: older releases let
-- a project have more. One without a language has a null there.
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
