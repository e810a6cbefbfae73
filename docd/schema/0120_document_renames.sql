-- Counts the changes of a served file's name or type. Caches identify a response by its entity tag, and keep the first
-- name and type whatever a 304 says, so the tag changes with this number (part/document_file_columns.sql). It is 0 for
-- existing rows, whose tags stay. A trigger counts, so statements of the previous release count too.
alter table document add column renames bigint not null default 0;

create function document_renamed() returns trigger language plpgsql as $$
begin
    new.renames := old.renames + 1;
    return new;
end
$$;
create trigger document_renamed before update of file_name, content_type on document for each row
    when (old.object_id is not null
        and (old.file_name, old.content_type) is distinct from (new.file_name, new.content_type))
    execute function document_renamed();
