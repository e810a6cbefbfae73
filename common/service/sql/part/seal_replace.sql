-- Replaces values in the rows of {table} that still have the old ones; {match} finds the row of key
-- n.key. seal_replaced has the replaced rows.
-- args: table, column, match
-- in: keys text[], olds bytea[], news bytea[]
{as}d as (
    update {table} t
    set {column} = n.value
    from unnest(:keys, :olds, :news) as n (key, old, value)
    where {match} and t.{column} is not distinct from n.old
    returning 1
)
