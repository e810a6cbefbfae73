-- Searches content with the index content_translation_scoped. Each statement below always has the same plan, which can
-- be cached: it can use one index only, or the other scan types are disabled.

-- Like 0004_content.sql, but without the primary key, with which it would compare all words of a type.
create or replace function content_alike(project uuid, kind text, among text[], wanted text, out word text)
returns setof text language plpgsql stable set pg_trgm.similarity_threshold = 0.25
set plan_cache_mode = force_generic_plan set enable_indexscan = off set enable_indexonlyscan = off as $$
begin
    return query
        select w.word from (select * from content_word w where w.project_id = project and w.word % wanted offset 0) w
        where w.type = kind and w.language = any (among)
        group by w.word order by similarity(w.word, wanted) desc, w.word limit 6;
end
$$;

-- Returns how to look for a word, as in 0004_content.sql, and in how many translations it is, at most. A prefix of very
-- many words is broad: an index would have to merge the lists of all these words.
create function content_term(project uuid, kind text, among text[], wanted text, is_last boolean, common bigint,
                             out term text[], out documents bigint, out is_broad boolean)
language plpgsql stable as $$
declare
    words bigint;
begin
    is_broad := false;
    term := array[wanted];
    documents := (select sum(w.documents) from content_word w
                  where project_id = project and type = kind and language = any (among) and word = wanted);
    if documents > 1000 or (documents > 0 and not is_last) then
        return;
    end if;
    select count(*), sum(w.documents) into words, documents from
        (select w.documents from content_word w
         where project_id = project and type = kind and language = any (among) and word >= wanted
           and word < wanted || chr(1114111) and w.documents > 0 limit 100) w;
    if words > 0 then
        term := array[wanted || ':*'];
        is_broad := words = 100 or documents >= common;
        documents := case when is_broad then greatest(documents, common) else documents end;
        return;
    end if;
    term := array(select a.word from content_alike(project, kind, among, wanted) a);
    documents := (select sum(w.documents) from content_word w
                  where project_id = project and type = kind and language = any (among) and word = any (term));
end
$$;

-- Returns queries for: all words; those that are not broad; these in titles (null: all are broad); any word, common
-- ones only if there is no other. Null: nothing matches. Also returns in how many translations the rarest word is, at
-- most.
drop function content_query(uuid, text, text[], text);
create function content_query(project uuid, kind text, among text[], search text, common bigint default 30000,
                              out all_words tsquery, out in_title tsquery, out any_word tsquery, out in_index tsquery,
                              out documents bigint)
language plpgsql stable as $$
declare
    wanted text[] := (string_to_array(nullif(trim(content_fold(search)), ''), ' '))[1:8];
    last integer := coalesce(cardinality(wanted), 0);
    lost boolean := false;
    found record;
    query tsquery;
    rarer tsquery;
begin
    for i in 1 .. last loop
        found := content_term(project, kind, among, wanted[i], i = last, common);
        if cardinality(found.term) = 0 then
            lost := true;
            continue;
        end if;
        query := array_to_string(found.term, '|');
        all_words := coalesce(all_words && query, query);
        any_word := coalesce(any_word || query, query);
        documents := least(documents, found.documents);
        if found.documents < common then
            rarer := coalesce(rarer || query, query);
        end if;
        if not found.is_broad then
            in_index := coalesce(in_index && query, query);
            query := 'T' || array_to_string(found.term, '|T');
            in_title := coalesce(in_title && query, query);
        end if;
    end loop;
    any_word := coalesce(rarer, any_word);
    if lost then
        all_words := null;
        in_title := null;
        in_index := null;
    end if;
end
$$;

-- Builds the index query: words in any of the languages, with a code unless that is null. Words null: everything with
-- the code. Both null: nothing.
create function content_scoped_query(project uuid, kind text, among text[], wanted tsquery, wanted_code text)
returns tsquery language sql stable as $$
    select string_agg(concat_ws(' & ',
                                '(' || regexp_replace(wanted::text, '''([^'']+)''', '''' || scope || '\1''', 'g') || ')',
                                '''' || scope || 'C' || replace(replace(wanted_code, '\', '\\'), '''', '''''') || ''''),
                      ' | ')::tsquery
    from (select distinct content_scope(project, kind, lang) as scope from unnest(among) lang) s
    where wanted is not null or wanted_code is not null
$$;

-- Translations that match in the index, up to a limit.
create function content_hits(project uuid, kind text, among text[], wanted_code text, in_index tsquery, wanted tsquery,
                             most bigint)
returns table (key text, rank real) language plpgsql stable rows 100 set plan_cache_mode = force_generic_plan as $$
declare
    scoped tsquery := content_scoped_query(project, kind, among, in_index, wanted_code);
begin
    return query
        select t.key, ts_rank(t.words, wanted)
        from (select * from content_translation t
              where content_scoped(content_scope(t.project_id, t.type, t.language), t.words, t.code) @@ scoped
              offset 0) t
        where t.project_id = project and t.type = kind and t.language = any (among)
          and (wanted_code is null or t.code = wanted_code) and t.words @@ wanted
        limit most;
end
$$;

-- Called by the previous release.
create or replace function content_hits(project uuid, kind text, among text[], wanted tsquery, most bigint)
returns table (key text, rank real) language sql stable rows 100 as $$
    select h.key, h.rank from content_hits(project, kind, among, null, wanted, wanted, most) h
$$;

-- Does the same without the index, which is faster when very many match: returns `chosen` of the first entries, in the
-- order of their keys.
create function content_walk(project uuid, kind text, among text[], among_first bigint, chosen tsquery, wanted tsquery,
                             most bigint)
returns table (key text, rank real) language plpgsql stable rows 100 set plan_cache_mode = force_generic_plan
set enable_bitmapscan = off as $$
begin
    return query
        select t.key, ts_rank(t.words, wanted)
        from (select t.key, t.words from content_translation t
              where t.project_id = project and t.type = kind and t.language = any (among)
              order by t.key limit among_first) t
        where t.words @@ chosen
        limit most;
end
$$;

-- Translations that a search ranks: first those with all words in the title, then those with all words; if there are
-- none, those with any word. After a walk without enough results there can be duplicates, and too many rows.
create function content_search(project uuid, kind text, among text[], search text, wanted_code text, most bigint)
returns table (key text, rank real) language plpgsql stable rows 100 as $$
declare
    common constant bigint := 50 * most;
    q record := content_query(project, kind, among, search, common);
    chosen tsquery := q.all_words;
    rest bigint := case when q.all_words is not null then most else 0 end;
    n bigint := 0;
begin
    if q.any_word is null then
        return;
    end if;
    if q.in_index is null and wanted_code is null then
        q.in_index := q.all_words;
    end if;
    if q.in_title is not null and q.documents >= most then
        return query select * from content_hits(project, kind, among, wanted_code, q.in_title, q.all_words, rest);
        get diagnostics n = row_count;
        rest := rest - n;
        q.in_index := q.in_index && !!q.in_title;
        chosen := chosen && !!q.in_title;
    end if;
    if rest > 0 and q.documents >= common and wanted_code is null then
        return query select * from content_walk(project, kind, among, 4 * most, chosen, q.all_words, rest);
        get diagnostics n = row_count;
        rest := case when n < rest then rest else 0 end;
    end if;
    if rest > 0 then
        return query select * from content_hits(project, kind, among, wanted_code, q.in_index, q.all_words, rest);
        get diagnostics n = row_count;
        rest := rest - n;
    end if;
    if q.all_words is null or rest = most then
        return query select * from content_hits(project, kind, among, wanted_code, q.any_word, q.any_word, most);
    end if;
end
$$;
