-- Expands {entries}, a JSON array.
-- args: entries
json_to_recordset({entries}::json) e (
    type text, key text, language text, title text, sections jsonb, author text, code text,
    words text
)
