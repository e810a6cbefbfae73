-- Counts active providers.
-- class: read
-- rows: one
-- row: count int8
select count(*) as count from identity_provider where state = 'active'
