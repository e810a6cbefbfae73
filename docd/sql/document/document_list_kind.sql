-- Lists like document_list, only documents of one kind (null: all), sorted by one key. Each kind has
-- its own range of the index, hence the page is merged from one page of each.
-- class: read
-- in: project uuid, kind text null, sort text, count int8, offset int8, direct bool
-- rows: many
-- row: struct document_row
select
    t.total,
    -- include: upload_pending(direct = :direct),
    -- include: document_columns(from = d)
from (
    select count(*) as total
    from document d
    where d.uploads >= 0 and d.project_id = :project
        and document_kind(d.content_type) = any (document_kinds(:kind))
) t
left join lateral (
    select d.*
    from unnest(document_kinds(:kind)) k
    cross join lateral (
        (
            select *
            from document d
            where :sort = '-_lastUpdated' and d.uploads >= 0 and d.project_id = :project
                and document_kind(d.content_type) = k
            order by d.updated_at desc, d.id
            limit :count + :offset
        )
        union all
        (
            select *
            from document d
            where :sort = '_lastUpdated' and d.uploads >= 0 and d.project_id = :project
                and document_kind(d.content_type) = k
            order by d.updated_at, d.id desc
            limit :count + :offset
        )
        union all
        (
            select *
            from document d
            where :sort = 'fileName' and d.uploads >= 0 and d.project_id = :project
                and document_kind(d.content_type) = k
            order by d.file_name, d.id
            limit :count + :offset
        )
        union all
        (
            select *
            from document d
            where :sort = '-fileName' and d.uploads >= 0 and d.project_id = :project
                and document_kind(d.content_type) = k
            order by d.file_name desc, d.id desc
            limit :count + :offset
        )
    ) d
    order by
        -- include: document_order_key(key = :sort),
        case when :sort in ('_lastUpdated', '-fileName') then d.id end desc,
        d.id
    limit :count offset :offset
) d on true
