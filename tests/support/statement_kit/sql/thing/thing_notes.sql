-- Lists the notes on the things with these ids.
-- class: read
-- in: ids int8[]
-- rows: many
-- row: thing int8, text text null
select thing, text from note where thing = any (:ids) order by thing, text
