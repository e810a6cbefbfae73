-- Renames counts and known addresses from keys that were hashed with an older seal key (`olds`) to
-- the current ones (`news`).
-- class: write
-- in: olds bytea[], news bytea[]
-- rows: none
with
n as materialized (
    select * from unnest(:olds, :news) as n (old, new)
),
known as (
    update known_address k
    set key = n.new
    from n
    where k.key = any (:olds) and k.key = n.old
        and not exists (select from known_address o where o.key = n.new)
)
update throttle t
set key = n.new
from n
where t.key = any (:olds) and t.key = n.old
    and not exists (select from throttle o where o.key = n.new)
