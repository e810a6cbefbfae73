-- Lists a page of an author's documents after the id `after`, as FHIR R4 resources whose bytes are
-- in the named file of the archive.
-- class: read
-- in: project uuid, author uuid, after uuid, most int8
-- rows: many
-- row: id uuid, object uuid null, size int8 null, file_name text, missing bool, resource text
select
    id,
    object_id as object,
    size,
    file_name,
    missing_at is not null as missing,
    json_strip_nulls(json_build_object(
        'resourceType', 'DocumentReference',
        'id', id,
        'status', 'current',
        'subject', case author_type
            when 'Patient' then json_build_object('reference', 'Patient/' || author_id)
        end,
        'author', json_build_array(json_build_object('reference', author_type || '/' || author_id)),
        'date', to_char(to_timestamp(updated_at / 1000.0) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'content', json_build_array(json_build_object('attachment', json_build_object(
            'contentType', content_type,
            'title', file_name,
            'size', case when size <= 2147483647 then size end
        )))
    ))::text as resource
from document
where updated_at >= 0 and project_id = :project and author_id = :author and id > :after
order by id
limit :most
