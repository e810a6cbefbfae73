-- A patient's list has a version. Each change of its documents draws a new number in its transaction and locks the
-- patient's row, so two states of a list never share a number. Null: unknown until the next change.
create sequence document_version;
alter table document_usage add column version bigint;

-- Adds to a patient's row, or counts everything including this change. Deletes an empty row.
create or replace function document_usage_add(project uuid, author uuid, more_documents bigint, more_bytes bigint)
returns void language plpgsql as $$
declare
    now_documents bigint;
begin
    update document_usage u
        set documents = u.documents + more_documents, bytes = u.bytes + more_bytes, version = nextval('document_version')
        where u.project_id = project and u.author_id = author returning u.documents into now_documents;
    if not found then
        insert into document_usage as u
            select project, author, count(*), coalesce(sum(size), 0), nextval('document_version') from document d
            where d.updated_at >= 0 and d.project_id = project and d.author_id = author
        on conflict (project_id, author_id)
            do update set documents = u.documents + more_documents, bytes = u.bytes + more_bytes,
                version = excluded.version
        returning u.documents into now_documents;
    end if;
    if now_documents = 0 then
        delete from document_usage u where u.project_id = project and u.author_id = author;
    end if;
end
$$;

-- Counts each change of a visible column, not only of the size.
create or replace function document_usage_change() returns trigger language plpgsql set search_path from current as $$
declare
    changes document_change[];
    each document_change;
begin
    if tg_op = 'INSERT' then
        changes := array(select (project_id, author_id, author_type = 'Patient', count(*), coalesce(sum(size), 0))::document_change
                         from added group by project_id, author_id, author_type order by 1);
    elsif tg_op = 'DELETE' then
        changes := array(select (project_id, author_id, author_type = 'Patient', -count(*), -coalesce(sum(size), 0))::document_change
                         from removed group by project_id, author_id, author_type order by 1);
    else
        changes := array(select (a.project_id, a.author_id, a.author_type = 'Patient', 0, sum(coalesce(a.size, 0) - coalesce(r.size, 0)))::document_change
                         from added a join removed r using (project_id, id) where a is distinct from r
                         group by a.project_id, a.author_id, a.author_type order by 1);
    end if;
    foreach each in array changes loop
        if each.is_patient then
            perform document_usage_add(each.project_id, each.author_id, each.documents, each.bytes);
        end if;
    end loop;
    foreach each in array changes loop
        if each.bytes <> 0 then
            perform document_usage_add_project(each.project_id, each.bytes);
        end if;
    end loop;
    return null;
end
$$;
