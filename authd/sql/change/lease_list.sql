-- Returns the gateways' leases.
-- class: read
-- rows: many
-- row: gateway text, renewals int8
select gateway, renewals from gateway_lease order by gateway limit 256
