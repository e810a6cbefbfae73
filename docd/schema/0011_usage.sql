-- Usage: documents and bytes of each patient, and bytes of each project that ever had a limit (nil author). Triggers
-- maintain the rows, so statements of the previous release count too. A row is counted when first needed, so this
-- script writes no row. Lock order: after documents; patients by id, then projects.
create table document_usage (
    project_id  uuid not null,
    author_id   uuid not null,
    documents   bigint not null,            -- 0 in rows of projects
    bytes       bigint not null,            -- bytes of complete files
    primary key (project_id, author_id)
) with (fillfactor = 70);

-- Locks a patient's row until the transaction ends. Statements that count an uncommitted document insert the same key,
-- and wait.
create function document_usage_hold(project uuid, author uuid) returns document_usage language plpgsql as $$
declare
    held document_usage;
begin
    select * into held from document_usage u where u.project_id = project and u.author_id = author for update;
    if not found then
        insert into document_usage as u
            select project, author, count(*), coalesce(sum(size), 0) from document d
            where d.updated_at >= 0 and d.project_id = project and d.author_id = author
        on conflict (project_id, author_id) do update set documents = u.documents
        returning u.* into held;
    end if;
    return held;
end
$$;

-- Locks a project's row. Changes in a project without a row leave no trace, so none can be in progress during the
-- count: each shares an advisory lock that this function takes exclusively.
create function document_usage_hold_project(project uuid) returns document_usage language plpgsql as $$
declare
    nil constant uuid := '00000000-0000-0000-0000-000000000000';
    held document_usage;
begin
    select * into held from document_usage u where u.project_id = project and u.author_id = nil for update;
    if not found then
        perform pg_advisory_xact_lock(hashtextextended('document usage ' || project, 0));
        insert into document_usage as u
            select project, nil, 0, coalesce(sum(size), 0) from document d
            where d.updated_at >= 0 and d.project_id = project
        on conflict (project_id, author_id) do update set documents = u.documents
        returning u.* into held;
    end if;
    return held;
end
$$;

-- Returns whether an addition fits in the limits of a patient and a project; null: no limit. It stays available until
-- the transaction ends, except bytes of the project while no file arrives (more_documents).
create function document_fits(project uuid, author uuid, documents_max bigint, bytes_max bigint, project_max bigint,
                              more_documents bigint, more_bytes bigint)
returns boolean language plpgsql as $$
declare
    held document_usage;
begin
    if more_documents <= 0 and more_bytes <= 0 then
        return true;
    end if;
    if documents_max is not null or bytes_max is not null then
        held := document_usage_hold(project, author);
        if held.documents + more_documents > documents_max or held.bytes + more_bytes > bytes_max then
            return false;
        end if;
    end if;
    if project_max is not null then
        select * into held from document_usage u
            where u.project_id = project and u.author_id = '00000000-0000-0000-0000-000000000000';
        if not found or more_documents = 0 then
            held := document_usage_hold_project(project);
        end if;
        return held.bytes + more_bytes <= project_max;
    end if;
    return true;
end
$$;

-- Bytes left, without a lock; null: no limit.
create function document_bytes_left(project uuid, author uuid, bytes_max bigint, project_max bigint)
returns bigint language sql stable as $$
    select least(
        bytes_max - coalesce((select bytes from document_usage where project_id = project and author_id = author), 0),
        project_max - coalesce((select bytes from document_usage where project_id = project
                                and author_id = '00000000-0000-0000-0000-000000000000'), 0))
$$;

-- Adds to a patient's row, or counts everything including this change. Deletes an empty row.
create function document_usage_add(project uuid, author uuid, more_documents bigint, more_bytes bigint)
returns void language plpgsql as $$
declare
    now_documents bigint;
begin
    update document_usage u set documents = u.documents + more_documents, bytes = u.bytes + more_bytes
        where u.project_id = project and u.author_id = author returning u.documents into now_documents;
    if not found then
        insert into document_usage as u
            select project, author, count(*), coalesce(sum(size), 0) from document d
            where d.updated_at >= 0 and d.project_id = project and d.author_id = author
        on conflict (project_id, author_id)
            do update set documents = u.documents + more_documents, bytes = u.bytes + more_bytes
        returning u.documents into now_documents;
    end if;
    if now_documents = 0 then
        delete from document_usage u where u.project_id = project and u.author_id = author;
    end if;
end
$$;

create function document_usage_add_project(project uuid, more_bytes bigint) returns void language plpgsql as $$
begin
    perform pg_advisory_xact_lock_shared(hashtextextended('document usage ' || project, 0));
    update document_usage u set bytes = u.bytes + more_bytes
        where u.project_id = project and u.author_id = '00000000-0000-0000-0000-000000000000';
end
$$;

create type document_change as (project_id uuid, author_id uuid, is_patient boolean, documents bigint, bytes bigint);

-- Fixes the search_path, because operators write to the table by hand too.
create function document_usage_change() returns trigger language plpgsql set search_path from current as $$
declare
    changes document_change[];
    each document_change;
    more bigint;
begin
    if tg_op = 'INSERT' then
        changes := array(select (project_id, author_id, author_type = 'Patient', count(*), coalesce(sum(size), 0))::document_change
                         from added group by project_id, author_id, author_type order by 1);
    elsif tg_op = 'DELETE' then
        changes := array(select (project_id, author_id, author_type = 'Patient', -count(*), -coalesce(sum(size), 0))::document_change
                         from removed group by project_id, author_id, author_type order by 1);
    else
        changes := array(select (a.project_id, a.author_id, a.author_type = 'Patient', 0, sum(coalesce(a.size, 0) - coalesce(r.size, 0)))::document_change
                         from added a join removed r using (project_id, id) where a.size is distinct from r.size
                         group by a.project_id, a.author_id, a.author_type order by 1);
    end if;
    foreach each in array changes loop
        if each.is_patient and (each.documents <> 0 or each.bytes <> 0) then
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
create trigger document_usage_added after insert on document referencing new table as added
    for each statement execute function document_usage_change();
create trigger document_usage_removed after delete on document referencing old table as removed
    for each statement execute function document_usage_change();
create trigger document_usage_changed after update on document referencing old table as removed new table as added
    for each statement execute function document_usage_change();

-- The upload's limits (null: none), and the session that requested the form; null in older forms.
alter table upload add column session_id uuid, add column bytes_max bigint, add column project_bytes_max bigint;
