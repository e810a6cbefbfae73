-- The number that an answer of settingsd holds for, see authd/settings_cache.h.
-- class: read
-- rows: one
-- row: change int8
select
    -- include: settings_change
    as change
