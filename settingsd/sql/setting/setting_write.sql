-- Writes a switch or a text, or unsets it if both are null. An unchanged value creates a version of
-- the project, but no history. No row: the project has another version.
-- class: write
-- in: project uuid, version int8, name text, enabled bool null, value text null
-- rows: one
-- row: row settings
with
updated as (
    update project
    set version = version + 1,
        settings = jsonb_strip_nulls(
            settings || jsonb_build_object(:name, coalesce(to_jsonb(:enabled), to_jsonb(:value)))
        )
    where id = :project and version = :version
    returning *
),
changes as (
    select
        p.id as project_id, p.version, :name as name, old.settings->:name as old_value,
        p.settings->:name as new_value
    from updated p
    join project old on old.id = p.id
    where old.settings->:name is distinct from p.settings->:name
),
-- include: history(from = changes),
-- include: outbox(from = updated),
-- include: audit(from = updated)
select
    -- include: settings
from updated p
