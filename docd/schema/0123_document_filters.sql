-- Filters of the list of documents: a kind, by the declared media type, and words of the file's name.

-- All that a list can be limited to, also in docd/document_api.c.
create function document_kinds(kind text) returns text[] language sql immutable parallel safe as $$
    select case when kind is null then array['image', 'pdf', 'text', 'audio', 'video', 'other'] else array[kind] end
$$;

create function document_kind(content_type text) returns text language sql immutable parallel safe as $$
    select case
        when lower(content_type) ~ '^(image|text|audio|video)/' then split_part(lower(content_type), '/', 1)
        when lower(content_type) ~ '^application/pdf\s*(;|$)' then 'pdf'
        when lower(content_type) ~ '^application/(json|xml)\s*(;|$)' then 'text'
        else 'other' end
$$;

-- Words in lower case and without accents, a space before each. Separators are listed, because which characters are
-- letters depends on the database's locale; "%", "_" and "\" are among them, so the text can be part of a pattern.
create function document_words(text) returns text language sql immutable parallel safe as $$
    select regexp_replace(' ' || translate(regexp_replace(normalize(lower($1), nfkd), '[\u0300-\u036f]', '', 'g'),
        '%_\.,;:-+=~#&@!()[]{}''"/', '                        '), ' +', ' ', 'g')
$$;

-- A pattern for document_words(): the words in their order. A word of one or two characters has no trigram, except at
-- the beginning of a word. Null, which finds nothing: there are no words.
create function document_pattern(text) returns text language sql immutable parallel safe as $$
    select string_agg(case when char_length(w) < 3 then '% ' else '%' end || w, '' order by n) || '%'
    from unnest(string_to_array(nullif(trim(document_words($1)), ''), ' ')) with ordinality t (w, n)
$$;
