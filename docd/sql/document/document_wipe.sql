-- Deletes a page of an author's documents and makes their objects due for the sweep. Returns how
-- many, and counts them for the account's erasure unless that is absent.
-- class: write
-- in: project uuid, author uuid, most int8, now int8
-- rows: none
with
own as materialized (
    select id
    from document
    where updated_at >= 0 and project_id = :project and author_id = :author
    limit :most
),
due as (
    select id
    from document
    where project_id = :project and id = any (array(select id from own))
    order by id
    for update
),
deleted as (
    delete from document
    using due
    where document.project_id = :project and document.id = due.id
    returning document.*
),
objects_expired as (
    select o.id
    from deleted d
    cross join lateral document_objects_expire(:project, d.id, :now, :erasure.account) o (id)
),
erased as (
    select 'document' as table_name, count(*) as rows, coalesce(sum(size), 0) as bytes from deleted
    union all
    select 'object', count(*), 0 from objects_expired
),
-- include: erasure_count as erasure(from = erased c),
-- include: audit(from = deleted, entity = coalesce(:audit.entity, 'DocumentReference/' || id))
select from deleted
