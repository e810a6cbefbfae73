-- Deletes a lease that was not renewed since. No row: it was renewed.
-- class: write
-- in: gateway text, renewals int8
-- rows: none
delete from gateway_lease where gateway = :gateway and renewals = :renewals
