-- Counts a failure for a sign-in's pairs, address and accounts (`keys`, in lock order, kept for
-- `lives` ms), and for the keys of its /48. Returns the counts in the same order. Keeps the newest
-- 100 hits of a key, which is enough for each limit, and 800 of a /48.
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
