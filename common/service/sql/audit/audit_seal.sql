-- Seals rows: ids and hashes in order, the first's sequence, the last's sequence and hash. Returns
-- the number of sealed rows. The bounds on id make each month use its index, whatever the planner
-- knows of the table.
-- class: tx
-- in: ids int8[], hashes bytea[], first int8, last int8, hash bytea
-- rows: one
-- row: sealed int8
with
link as materialized (
    select id, hash, :first + n - 1 as sequence
    from unnest(:ids, :hashes) with ordinality as u (id, hash, n)
),
sealed as (
    update audit a
    set sequence = link.sequence, hash = link.hash
    from link
    where a.id >= (select min(id) from link) and a.id <= (select max(id) from link)
        and a.sequence is null and link.id = a.id
    returning 1
),
moved as (
    update audit_head set sequence = :last, hash = :hash
)
select count(*) as sealed from sealed
