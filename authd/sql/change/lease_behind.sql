-- Returns gateways that lack changes up to `sequence`.
-- class: read
-- in: sequence int8
-- rows: many
-- row: gateway text
select gateway from gateway_lease where sequence < :sequence limit 256
