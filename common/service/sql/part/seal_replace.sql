-- Puts values that were sealed anew in place of the old ones, in the rows of {table} that still have
-- the old one; {match} says which row has the key n.key. seal_replaced are those rows.
-- args: table, column, match
-- in: keys text[], olds bytea[], news bytea[]
{as}d as (
    update {table} t
    set {column} = n.value
    from unnest(:keys, :olds, :news) as n (key, old, value)
    where {match} and t.{column} is not distinct from n.old
    returning 1
)
