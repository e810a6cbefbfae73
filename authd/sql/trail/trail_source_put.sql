-- Moves the place up to which the trail of a daemon is in the trees. No row: it was moved meanwhile.
-- class: tx
-- in: daemon text, before int8, sequence int8
-- rows: none
insert into trail_source as s (daemon, sequence)
values (:daemon, :sequence)
on conflict (daemon) do update set sequence = excluded.sequence where s.sequence = :before
