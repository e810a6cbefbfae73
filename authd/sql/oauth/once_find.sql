-- Reports if an id is spent, with the last change's number, see authd/settings_cache.h.
-- class: read
-- in: hash bytea
-- rows: one
-- row: spent bool, change int8
select
    exists (select from oauth_once where hash = :hash) as spent,
    -- include: settings_change
    as change
