-- Adds a project's documents from another installation. Each document with a file is marked as
-- missing its bytes until they arrive (docd/document/tenant_bytes.c). Its object must be new in all
-- projects, because a store names files only by object. Repeating the call after the bytes have
-- arrived is fine: properties from the store are not compared. Names and types become response
-- headers, so they are checked as docd's routes check them. Public tokens are sealed again, so
-- their hashes are compared.
-- call: tenant_add
with
given as materialized (
    select g as document
    from json_array_elements(:tenant_insert.rows::json) e (value),
        json_populate_record(null::document, e.value) g
    where g.project_id = :tenant_insert.project and row_to_json(g)::text = e.value::text
        and g.file_name !~ '[\x01-\x1f\x7f]'
        -- like MEDIA_TYPE_PATTERN; T: a token character
        and g.content_type ~ replace(
            '^T+/T+([ \t]*;[ \t]*(T+=(T+|"([ !#-\[\]-~]|\\[ -~])*"))?)*$',
            'T', '[!#$%&''*+.^_`|~A-Za-z0-9-]'
        )
),
object_added as (
    insert into object (project_id, id, document_id)
    select (g.document).project_id, (g.document).object_id, (g.document).id
    from given g
    left join lateral (
        select id from document where project_id = :tenant_insert.project and id = (g.document).id limit 1
    ) d on true
    left join lateral (
        select id from object where id = (g.document).object_id limit 1
    ) o on true
    where (g.document).object_id is not null and d.id is null and o.id is null
    on conflict do nothing
    returning id, document_id
),
added as (
    insert into document
    select r.*
    from given g
    left join object_added o
        on o.id = (g.document).object_id and o.document_id = (g.document).id
    cross join lateral json_populate_record(
        g.document,
        json_build_object(
            'missing_at', case when o.id is not null then :audit.at end,
            'found_type', case when o.id is not null then 'application/octet-stream' end
        )
    ) r
    where o.id is not null or (g.document).object_id is null
    on conflict do nothing
    returning 1
),
same as (
    select 1
    from given g
    cross join lateral (
        select t as document
        from document t
        where t.project_id = :tenant_insert.project and t.id = (g.document).id
        limit 1
    ) d
    where row_to_json(
        json_populate_record(
            d.document, '{"public_token":null,"etag":null,"found_type":null,"missing_at":null}'
        )
    )::text = row_to_json(
        json_populate_record(
            g.document, '{"public_token":null,"etag":null,"found_type":null,"missing_at":null}'
        )
    )::text
),
found as (
    select from added limit 1
),
-- include: audit(from = found)
select
    (select count(*) from added) as added,
    (select count(*) from same) as same
