-- The same as document_list of the documents of one author.
-- class: read
-- in: project uuid, author uuid, count int8, offset int8, direct bool
-- rows: many
-- row: struct document_row
select
    t.total,
    -- include: upload_pending(direct = :direct),
    -- include: document_columns(from = d)
from (
    select count(*) as total
    from document d
    where d.updated_at >= 0 and d.project_id = :project and d.author_id = :author
) t
left join lateral (
    select *
    from document d
    where d.updated_at >= 0 and d.project_id = :project and d.author_id = :author
    order by d.updated_at desc, d.id
    limit :count offset :offset
) d on true
