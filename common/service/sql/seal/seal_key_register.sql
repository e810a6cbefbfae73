-- Registers a key of the instances' files, and notes when it began to write. Each happens once.
-- class: write
-- in: id text, now int8, writes bool
-- rows: none
with
registered as (
    insert into seal_key as k (id, created_at, writes_since)
    values (:id, :now, case when :writes then :now end)
    on conflict (id) do update set writes_since = excluded.writes_since
    where k.writes_since is null and excluded.writes_since is not null
    returning id
),
-- include: audit(from = registered)
select from registered
