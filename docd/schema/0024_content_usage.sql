-- A project's content: translations, and bytes of their texts. Triggers maintain the row, so statements of the previous
-- release count too. Older content is not counted, so this script reads no table: the limit (docd/document/cms.c) is
-- for additions since then, and a number can be below zero. Lock order: after content, translations and words. The lock
-- lasts until the transaction ends, so a transaction that reads the row after its own change sees all others' changes.
create table content_usage (
    project_id  uuid primary key,
    entries     bigint not null,
    bytes       bigint not null
) with (fillfactor = 70);

create function content_bytes(title text, sections jsonb, author text, code text) returns bigint
language sql immutable parallel safe as $$
    select octet_length(title)::bigint + octet_length(sections::text) + coalesce(octet_length(author), 0)
        + coalesce(octet_length(code), 0)
$$;

-- Fixes the search_path, because operators write to the table by hand too.
create function content_usage_add(project uuid, more_entries bigint, more_bytes bigint) returns void
language sql set search_path from current as $$
    insert into content_usage as u (project_id, entries, bytes)
        values (project, more_entries, more_bytes)
    on conflict (project_id)
        do update set entries = u.entries + excluded.entries, bytes = u.bytes + excluded.bytes
$$;

create function content_usage_change() returns trigger language plpgsql set search_path from current as $$
begin
    if tg_op = 'INSERT' then
        perform content_usage_add(c.project_id, c.n, c.bytes)
        from (select project_id, count(*) as n, sum(content_bytes(title, sections, author, code))::bigint as bytes
              from added group by project_id order by project_id) c;
    elsif tg_op = 'DELETE' then
        perform content_usage_add(c.project_id, -c.n, -c.bytes)
        from (select project_id, count(*) as n, sum(content_bytes(title, sections, author, code))::bigint as bytes
              from removed group by project_id order by project_id) c;
    else
        perform content_usage_add(c.project_id, 0, c.bytes)
        from (select project_id, sum(bytes)::bigint as bytes
              from (select project_id, content_bytes(title, sections, author, code) as bytes from added
                    union all
                    select project_id, -content_bytes(title, sections, author, code) from removed) b
              group by project_id having sum(bytes) <> 0 order by project_id) c;
    end if;
    return null;
end
$$;

create trigger content_usage_added after insert on content_translation referencing new table as added
    for each statement execute function content_usage_change();
create trigger content_usage_removed after delete on content_translation referencing old table as removed
    for each statement execute function content_usage_change();
create trigger content_usage_changed after update on content_translation
    referencing old table as removed new table as added
    for each statement execute function content_usage_change();
