-- Returns the time of the hit that keeps a key at its limit; null: it is below the limit.
-- class: read
-- in: key bytea, now int8, window int8, most int8
-- rows: one
-- row: at int8 null
select
    -- include: hit_at_limit(key = :key, now = :now, window = :window, limit = :most)
    as at
