-- Deletes the {most} oldest rows of {table} whose {column} is before {before}. A row that changes
-- meanwhile has another ctid and stays.
-- args: table, column, before, most
{as} as (
    delete from {table}
    where ctid = any (array(
        select ctid from {table} where {column} < {before} order by {column} limit {most}
    ))
    returning 1
)
