-- Renews the lease of a gateway that has `boot`, which has all changes up to `sequence`. A renewal
-- that is lost in a crash of the server leaves an older number behind, for which changes wait
-- longer.
-- class: vital
-- in: gateway text, boot text, sequence int8
-- rows: none
update gateway_lease
set sequence = :sequence, renewals = renewals + 1
where gateway = :gateway and boot = :boot
