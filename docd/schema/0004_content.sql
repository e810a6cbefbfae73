-- Content: entries by type, in any number of languages, and the words that find them. Lock order: entries by key, then
-- translations, then words in their order.

-- A role that must not create extensions needs an administrator to create them first: atrium-docd(8).
create extension if not exists pg_trgm;
create extension if not exists btree_gin;

create table content (
    project_id  uuid not null,
    type        text not null,
    key         text not null,
    languages   text[] not null,            -- languages of its translations
    primary key (project_id, type, key)
);
-- Counts the entries of a type without reading them.
create index content_languages on content (project_id, type, key) include (languages);

-- ---- words ----

-- Letters without case and accents, digits, and a space for anything else.
create function content_fold(text) returns text language sql immutable parallel safe as $$
    select regexp_replace(regexp_replace(normalize(lower($1), nfd), '[\u0300-\u036f]', '', 'g'), '[^[:alnum:]]+', ' ', 'g')
$$;

-- A tsvector holds 1 MiB, so only the beginning of a very long text is searchable.
create function content_vector(text) returns tsvector language sql immutable parallel safe as $$
    select to_tsvector('pg_catalog.simple', content_fold(left($1, 60000)))
$$;

create function content_section_text(jsonb) returns text language sql immutable parallel safe as $$
    select coalesce(string_agg(coalesce(s->>'title', '') || ' ' || (s->>'text'), ' '), '') from jsonb_array_elements($1) s
$$;

-- Words of a translation with their weights. Words of the title appear again with the prefix T, which no other word
-- has, because an index stores no weights.
create function content_words(title text, name text, sections jsonb) returns tsvector
language sql immutable parallel safe as $$
    select setweight(content_vector(title), 'A') || setweight(content_vector(name), 'B') ||
           setweight(content_vector(content_section_text(sections)), 'C') ||
           array_to_tsvector(array(select 'T' || w from unnest(tsvector_to_array(content_vector(title))) w))
$$;

create table content_translation (
    project_id  uuid not null,
    type        text not null,
    key         text not null,
    language    text not null,
    title       text not null,
    sections    jsonb not null,             -- [{title, text}]
    author      text,
    code        text,
    updated_at  bigint not null,
    words       tsvector not null
                    generated always as (content_words(title, key || ' ' || coalesce(author, ''), sections)) stored,
    primary key (project_id, type, key, language),
    foreign key (project_id, type, key) references content (project_id, type, key)
);
-- Kept uncompressed in the row, because searches read thousands of rows.
alter table content_translation alter column words set storage main;
create index content_translation_words on content_translation using gin (project_id, words);
create index content_translation_code on content_translation (project_id, type, code, key) where code is not null;

-- Words of all translations of a type in a language, to correct misspelled words.
create table content_word (
    project_id  uuid not null,
    type        text not null,
    language    text not null,
    word        text collate "C" not null,
    documents   bigint not null,            -- translations with this word
    primary key (project_id, type, language, word)
);
create index content_word_alike on content_word using gin (project_id, word gin_trgm_ops);
create index content_word_gone on content_word (project_id) where documents <= 0;

-- ---- searching ---- Functions that are not inlined are planned again with each call, for the current tables.

-- Words with a similar spelling, most similar first. Two wrong letters in eight are still similar.
create function content_alike(project uuid, kind text, among text[], wanted text, out word text)
returns setof text language sql stable set pg_trgm.similarity_threshold = 0.25 as $$
    select w.word from content_word w
    where w.project_id = project and w.type = kind and w.language = any (among) and w.word % wanted
    group by w.word order by similarity(w.word, wanted) desc, w.word limit 6
$$;

-- Returns how to look for a word: exactly; if that finds nothing, or for the last word, which may be incomplete, as a
-- prefix; otherwise by similar spelling. Null: not at all. A word in very many translations is not used as a prefix.
create function content_term(project uuid, kind text, among text[], wanted text, is_last boolean) returns text[]
language plpgsql stable as $$
declare
    known bigint := (select sum(documents) from content_word
                     where project_id = project and type = kind and language = any (among) and word = wanted);
begin
    if known > 1000 or (known > 0 and not is_last) then
        return array[wanted];
    end if;
    perform from content_word
        where project_id = project and type = kind and language = any (among) and word >= wanted
          and word < wanted || chr(1114111);
    if found then
        return array[wanted || ':*'];
    end if;
    return array(select a.word from content_alike(project, kind, among, wanted) a);
end
$$;

-- Queries for all words, for all words in titles, and for any word. Null: nothing matches.
create function content_query(project uuid, kind text, among text[], search text,
                              out all_words tsquery, out in_title tsquery, out any_word tsquery)
language plpgsql stable as $$
declare
    wanted text[] := (string_to_array(nullif(trim(content_fold(search)), ''), ' '))[1:8];
    last integer := coalesce(cardinality(wanted), 0);
    lost boolean := false;
    term text[];
    query tsquery;
begin
    for i in 1 .. last loop
        term := content_term(project, kind, among, wanted[i], i = last);
        if cardinality(term) = 0 then
            lost := true;
            continue;
        end if;
        query := array_to_string(term, '|');
        all_words := coalesce(all_words && query, query);
        any_word := coalesce(any_word || query, query);
        query := 'T' || array_to_string(term, '|T');
        in_title := coalesce(in_title && query, query);
    end loop;
    if lost then
        all_words := null;
        in_title := null;
    end if;
end
$$;

-- Translations that match the query, up to a limit. The second does the same for a code. Null finds nothing.
create function content_hits(project uuid, kind text, among text[], wanted tsquery, most bigint)
returns table (key text, rank real) language sql stable rows 100 set jit = off as $$
    select t.key, ts_rank(t.words, wanted) from content_translation t
    where t.project_id = project and t.type = kind and t.language = any (among) and t.words @@ wanted
    limit most
$$;

create function content_hits_of_code(project uuid, kind text, among text[], wanted_code text, wanted tsquery, most bigint)
returns table (key text, rank real) language sql stable rows 100 set jit = off as $$
    select t.key, ts_rank(t.words, wanted) from content_translation t
    where t.project_id = project and t.type = kind and t.code = wanted_code and t.language = any (among)
      and t.words @@ wanted
    limit most
$$;
