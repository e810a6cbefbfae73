-- Lists like document_list, only documents of one kind (null: all), sorted by up to three keys (part
-- document_order_key) and then by id, which makes the order unique.
-- class: read
-- in: project uuid, kind text null, first text null, second text null, third text null, count int8
-- in: offset int8, direct bool
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
        and document_kind(d.content_type) = any (document_kinds(:kind))
) t
left join lateral (
    select *
    from document d
    where d.updated_at >= 0 and d.project_id = :project
        and document_kind(d.content_type) = any (document_kinds(:kind))
    order by
        -- include: document_order_key(key = :first),
        -- include: document_order_key(key = :second),
        -- include: document_order_key(key = :third),
        d.id
    limit :count offset :offset
) d on true
