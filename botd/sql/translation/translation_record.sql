-- Stores new translations by key and returns unused characters to the day's budget. Returns the
-- project's memory size. No row: nothing was stored.
-- class: write
-- in: project uuid, now int8, keys bytea[], values bytea[], day int8, unused_characters int8
-- rows: one
-- row: entries int8, bytes int8
with
inserted as (
    insert into translation_memory (project_id, key, value, used_at)
    select :project, u.key, u.value, :now
    from unnest(:keys, :values) u (key, value)
    order by u.key
    on conflict do nothing
    returning octet_length(value) as bytes
),
size as (
    insert into translation_memory_size as s (project_id, entries, bytes)
    select :project, count(*), sum(bytes)
    from inserted
    having count(*) > 0
    on conflict (project_id) do update
    set entries = s.entries + excluded.entries, bytes = s.bytes + excluded.bytes
    returning s.entries, s.bytes
),
returned as (
    update translation_day
    set characters = characters - :unused_characters
    where project_id = :project and day = :day and :unused_characters > 0
),
-- include: audit(from = (select) one)
select entries, bytes from size
