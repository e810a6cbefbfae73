-- Words as an index holds them: each behind the project, type and language that it is of. So a search reads the entries
-- of no other, however common the word is with them. The code of a translation is among them, behind a C, which no word
-- begins with. (Words are letters and digits without a space between.)

-- A hash, to keep it short; who reads the index sees to it that what was found is of the project.
create function content_scope(project uuid, kind text, lang text) returns text language sql immutable parallel safe as $$
    select to_hex(hashtextextended(project::text || '/' || kind || '/' || lang, 0)) || ':'
$$;

create function content_scoped(scope text, words tsvector, code text) returns tsvector
language sql immutable parallel safe as $$
    select array_to_tsvector(string_to_array(scope || array_to_string(tsvector_to_array(words), ' ' || scope), ' ') ||
                             case when code is not null then array[scope || 'C' || code] end)
$$;
