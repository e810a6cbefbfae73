-- Replaces a project's branding, except its logo. No row: the project has another version.
-- class: write
-- in: project uuid, version int8, branding text
-- rows: one
-- row: branding text null, version int8, etag text
with
updated as (
    update project
    set version = version + 1,
        branding = :branding::jsonb || jsonb_strip_nulls(
            jsonb_build_object('logo', branding->'logo')
        )
    where id = :project and version = :version
    returning *
),
changes as (
    select
        p.id as project_id, p.version, 'branding.' || k.key as name,
        old.branding->k.key as old_value, p.branding->k.key as new_value
    from updated p
    join project old on old.id = p.id,
        jsonb_object_keys(coalesce(old.branding, '{}') || p.branding) k (key)
    where old.branding->k.key is distinct from p.branding->k.key
),
-- include: history(from = changes),
-- include: outbox(from = updated),
-- include: audit(from = updated)
select branding::text, version, '"' || version || '"' as etag from updated
