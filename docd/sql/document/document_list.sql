-- A page of the documents of a project, the latest change first, each behind the number of all of
-- them. One row without an id: the page is empty.
-- class: read
-- in: project uuid, count int8, offset int8, direct bool
-- rows: many
-- row: struct document_row
select
    t.total,
    -- include: upload_pending(direct = :direct),
    -- include: document_columns(from = d)
from (
    select count(*) as total
    from document d
    where d.updated_at >= 0 and d.project_id = :project
) t
left join lateral (
    select *
    from document d
    where d.updated_at >= 0 and d.project_id = :project
    order by d.updated_at desc, d.id
    limit :count offset :offset
) d on true
