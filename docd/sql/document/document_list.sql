-- Lists a page of a project's documents, newest change first; each row contains the total number.
-- An empty page is one row without an id.
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
