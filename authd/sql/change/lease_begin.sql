-- Begins a gateway's lease. `renewals` begins at the current time, so that a deleted row that is
-- created again never looks like the old one.
-- class: tx
-- in: gateway text, boot text, sequence int8, now int8
-- rows: none
insert into gateway_lease as l (gateway, boot, sequence, renewals)
values (:gateway, :boot, :sequence, :now)
on conflict (gateway) do update set
    boot = excluded.boot,
    sequence = excluded.sequence,
    renewals = greatest(l.renewals + 1, excluded.renewals)
