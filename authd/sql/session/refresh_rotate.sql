-- Gives the holders of current refresh tokens the next ones: the numbers, from 1 on, of those that
-- got theirs. Of two renewals of a session at once one finds the row locked and gets none.
-- class: write
-- in: projects uuid[], sessions uuid[], hashes bytea[], next_hashes bytea[], successors bytea[]
-- in: now int8, idle_until int8
-- rows: many
-- row: number int8
with
held as (
    select w.number, w.next_hash, w.sealed, s.place
    from unnest(:projects, :sessions, :hashes, :next_hashes, :successors) with ordinality
        as w (project_id, id, hash, next_hash, sealed, number)
    cross join lateral (
        select s.ctid as place
        from session s
        where s.project_id = w.project_id and s.id = w.id and s.refresh_hash = w.hash and
            -- include: session_valid(session = s, now = :now)
        for no key update skip locked
    ) s
)
update session s
set
    generation = s.generation + 1,
    previous_hash = s.refresh_hash,
    refresh_hash = h.next_hash,
    successor_sealed = h.sealed,
    rotated_at = :now,
    last_updated = :now,
    idle_until = least(:idle_until, s.absolute_until)
from held h
where s.ctid = h.place
returning h.number
