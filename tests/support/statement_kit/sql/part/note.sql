-- Adds a note to each row of {from}.
-- args: from, text = :text
-- in: text text null, at int8
{as}_written as (
    insert into note (thing, text, at) select id, {text}, :at from {from}
)
