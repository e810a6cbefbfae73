-- Gateways that have not all changes up to `sequence`.
-- class: read
-- in: sequence int8
-- rows: many
-- row: gateway text
select gateway from gateway_lease where sequence < :sequence limit 256
