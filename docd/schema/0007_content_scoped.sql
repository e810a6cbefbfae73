-- Words as indexed: each with a prefix for its project, type and language. So a search reads no other project's
-- entries, however common the word is there. A translation's code is indexed too, with the prefix C, which no word has,
-- because words are lower-case letters and digits.

-- A hash, to keep it short. Readers of the index must check the project of the rows they find.
create function content_scope(project uuid, kind text, lang text) returns text language sql immutable parallel safe as $$
    select to_hex(hashtextextended(project::text || '/' || kind || '/' || lang, 0)) || ':'
$$;

create function content_scoped(scope text, words tsvector, code text) returns tsvector
language sql immutable parallel safe as $$
    select array_to_tsvector(string_to_array(scope || array_to_string(tsvector_to_array(words), ' ' || scope), ' ') ||
                             case when code is not null then array[scope || 'C' || code] end)
$$;
