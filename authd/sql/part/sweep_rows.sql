-- Deletes the {most} oldest rows of {table} with {column} before {before}. Rows that change
-- meanwhile have a new ctid and stay, as do those that are not {open}.
-- args: table, column, before, most, open = true
{as} as (
    delete from {table}
    where ctid = any (array(
        select ctid from {table} where {column} < {before} and {open} order by {column} limit {most}
    ))
    returning 1
)
