-- Renews the lease of a gateway with the boot id `boot` and all changes up to `sequence`. If a
-- server crash loses a renewal, the old number remains, and changes wait longer.
-- class: vital
-- in: gateway text, boot text, sequence int8
-- rows: none
update gateway_lease
set sequence = :sequence, renewals = renewals + 1
where gateway = :gateway and boot = :boot
