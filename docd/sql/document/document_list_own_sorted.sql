-- Lists like document_list_sorted, only one author's documents.
-- class: read
-- in: project uuid, author uuid, kind text null, first text null, second text null
-- in: third text null, count int8, offset int8, direct bool
-- rows: many
-- row: struct document_row
select
    t.total,
    coalesce(
        (select version from document_usage where project_id = :project and author_id = :author), 0
    ) as version,
    -- include: upload_pending(direct = :direct),
    -- include: document_columns(from = d)
from (
    select count(*) as total
    from document d
    where d.updated_at >= 0 and d.project_id = :project and d.author_id = :author
        and document_kind(d.content_type) = any (document_kinds(:kind))
) t
left join lateral (
    select *
    from document d
    where d.updated_at >= 0 and d.project_id = :project and d.author_id = :author
        and document_kind(d.content_type) = any (document_kinds(:kind))
    order by
        -- include: document_order_key(key = :first),
        -- include: document_order_key(key = :second),
        -- include: document_order_key(key = :third),
        d.id
    limit :count offset :offset
) d on true
