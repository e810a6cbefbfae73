-- Returns the change number for answers of settingsd, see authd/settings_cache.h.
-- class: read
-- rows: one
-- row: change int8
select
    -- include: settings_change
    as change
