-- Whether an id was spent, and the number of the last change, see authd/settings_cache.h.
-- class: read
-- in: hash bytea
-- rows: one
-- row: spent bool, change int8
select
    exists (select from oauth_once where hash = :hash) as spent,
    -- include: settings_change
    as change
