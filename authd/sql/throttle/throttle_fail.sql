-- Counts a failure for pairs, address and accounts (`keys`, in this order of locks, which live
-- `lives` ms), then for those of a /48: the counts in the same order. The newest 100 hits decide
-- every limit, 800 those of a /48.
-- class: write
-- in: keys bytea[], lives int8[], wide_keys bytea[], wide_lives int8[], now int8, window int8
-- rows: many
-- row: kept int8
with
-- include: audit(from = (select) one),
single as (
    -- include: hits_count(keys = :keys, lives = :lives, most = 100, now = :now, window = :window)
),
wide as (
    -- include: hits_count(keys = :wide_keys, lives = :wide_lives, most = 800, now = :now,
    --     window = :window)
)
select kept from single
union all
select kept from wide
