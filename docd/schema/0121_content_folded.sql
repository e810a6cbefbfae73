-- docd now folds the words of content and of searches (common/domain/fold.h, docd/document/content_words.c).
-- Translations with docd's words have the word 'T.1', which is not counted, like all with the prefix T. docd folds the
-- others later (content_fold() in content_words.c), in the order of an index (0122).

-- Words written by the previous release are folded by the trigger, because it writes none. docd changes the position of
-- 'T.1' with each write, so unchanged words belong to a previous text.
alter table content_translation alter column words drop expression;

create function content_translation_words() returns trigger language plpgsql set search_path from current as $$
begin
    if new.words is null or (tg_op = 'UPDATE' and new.words = old.words and
        (new.title, new.sections, new.author) is distinct from (old.title, old.sections, old.author)) then
        new.words := content_words(new.title, new.key || ' ' || coalesce(new.author, ''), new.sections);
    end if;
    return new;
end
$$;
create trigger content_translation_words before insert or update on content_translation
    for each row execute function content_translation_words();

-- ---- searching, as in 0009_content_search.sql ----

-- Returns how to look for a word. Its first letter is its kind: w, a word; e, the last word, which may be incomplete;
-- p, a pair of characters of a script without spaces, matched exactly; s, a single one, matched as a prefix of pairs.
drop function content_term(uuid, text, text[], text, boolean, bigint);
create function content_term(project uuid, kind text, among text[], given text, common bigint,
                             out term text[], out documents bigint, out is_broad boolean)
language plpgsql stable as $$
declare
    how text := left(given, 1);
    wanted text := substr(given, 2);
    words bigint;
begin
    is_broad := false;
    term := array[wanted];
    if how <> 's' then
        documents := (select sum(w.documents) from content_word w
                      where project_id = project and type = kind and language = any (among) and word = wanted);
        if documents > 1000 or (documents > 0 and how <> 'e') then
            return;
        end if;
    end if;
    if how <> 'p' then
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
    end if;
    term := '{}';
    if how in ('w', 'e') then
        term := array(select a.word from content_alike(project, kind, among, wanted) a);
        documents := (select sum(w.documents) from content_word w
                      where project_id = project and type = kind and language = any (among) and word = any (term));
    end if;
end
$$;

drop function content_query(uuid, text, text[], text, bigint);
create function content_query(project uuid, kind text, among text[], wanted text[], common bigint default 30000,
                              out all_words tsquery, out in_title tsquery, out any_word tsquery, out in_index tsquery,
                              out documents bigint)
language plpgsql stable as $$
declare
    lost boolean := false;
    given text;
    found record;
    query tsquery;
    rarer tsquery;
begin
    foreach given in array wanted loop
        found := content_term(project, kind, among, given, common);
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

create function content_search(project uuid, kind text, among text[], wanted text[], wanted_code text, most bigint)
returns table (key text, rank real) language plpgsql stable rows 100 as $$
declare
    common constant bigint := 50 * most;
    q record := content_query(project, kind, among, wanted, common);
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

-- Called by the previous release.
create or replace function content_search(project uuid, kind text, among text[], search text, wanted_code text, most bigint)
returns table (key text, rank real) language plpgsql stable rows 100 as $$
declare
    words text[] := (string_to_array(nullif(trim(content_fold(search)), ''), ' '))[1:8];
    wanted text[] := array(select case when n = cardinality(words) then 'e' else 'w' end || word
                           from unnest(words) with ordinality w (word, n) order by n);
begin
    return query select * from content_search(project, kind, among, wanted, wanted_code, most);
end
$$;
