-- Lists like document_list_sorted, only documents whose names contain the words of `search`, of one
-- kind (null: all) and of one author (null: any). At most 1,000 are compared, which also limits the
-- total.
-- class: read
-- in: project uuid, author uuid null, kind text null, search text
-- in: first text null, second text null, third text null, count int8, offset int8, direct bool
-- rows: many
-- row: struct document_row
with
found as materialized (
    (
        select *
        from document d
        where :author is null and d.project_id::text = :project::text
            and document_words(d.file_name) like document_pattern(:search)
            and document_kind(d.content_type) = any (document_kinds(:kind))
        limit 1000
    )
    union all
    (
        select *
        from document d
        where d.updated_at >= 0 and d.project_id = :project and d.author_id = :author
            and document_words(d.file_name) || '' like document_pattern(:search)
            and document_kind(d.content_type) = any (document_kinds(:kind))
        limit 1000
    )
)
select
    t.total,
    -- include: upload_pending(direct = :direct),
    -- include: document_columns(from = d)
from (select count(*) as total from found) t
left join lateral (
    select *
    from found d
    order by
        -- include: document_order_key(key = :first),
        -- include: document_order_key(key = :second),
        -- include: document_order_key(key = :third),
        d.id
    limit :count offset :offset
) d on true
