-- Adds the object of an upload, due at `sweep_at` unless the upload is finished, if at least one
-- byte fits in the quotas. Locks the document meanwhile, see document_objects_expire(). Returns the
-- form's session and how many bytes fit (null: no limit). `direct`: the form was posted to the
-- store, which has checked its expiry; such a form is completed only once. Adds nothing in a
-- read-only project. No row: the form has expired, or its document was deleted or has a later file.
-- class: write
-- in: project uuid, id uuid, direct bool, object uuid, now int8, sweep_at int8
-- rows: one
-- row: session uuid null, bytes_left int8 null, held bool
with
form as materialized (
    select
        u.project_id, d.id, u.session_id,
        document_bytes_left(
            u.project_id, d.author_id, case d.author_type when 'Patient' then u.bytes_max end,
            u.project_bytes_max
        ) + coalesce(d.size, 0) as bytes_left,
        exists (select from project_hold h where h.project_id = u.project_id offset 0) as held
    from upload u
    join document d on d.project_id = u.project_id and d.id = u.document_id
    where u.project_id = :project and u.id = :id and (:direct or u.expires_at > :now)
        and (coalesce(d.upload, 0) < u.number or d.upload = u.number and not :direct)
    for key share of d
),
object_inserted as (
    insert into object (project_id, id, document_id, sweep_at)
    select project_id, :object, id, :sweep_at
    from form
    where (bytes_left is null or bytes_left > 0) and not held
)
select session_id as session, bytes_left, held from form
