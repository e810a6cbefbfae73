-- Deletes the {most} oldest rows of {table} whose {column} is before {before}. A row that changes
-- meanwhile has another ctid and stays; so do those that are not {open}.
-- args: table, column, before, most, open = true
{as} as (
    delete from {table}
    where ctid = any (array(
        select ctid from {table} where {column} < {before} and {open} order by {column} limit {most}
    ))
    returning 1
)
