-- Moves the position up to which a daemon's log is in the trees. No row: another transaction has
-- moved it.
-- class: tx
-- in: daemon text, before int8, sequence int8
-- rows: none
insert into trail_source as s (daemon, sequence)
values (:daemon, :sequence)
on conflict (daemon) do update set sequence = excluded.sequence where s.sequence = :before
