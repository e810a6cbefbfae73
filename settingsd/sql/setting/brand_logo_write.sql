-- Writes a project's logo and its hash, or removes them (null). No row: the project has another
-- version.
-- class: write
-- in: project uuid, version int8, logo bytea null, hash text null
-- rows: one
-- row: branding text null, version int8, etag text
with
updated as (
    update project
    set version = version + 1,
        brand_logo = :logo,
        branding = (coalesce(branding, '{}') - 'logo') || jsonb_strip_nulls(
            jsonb_build_object('logo', :hash)
        )
    where id = :project and version = :version
    returning *
),
changes as (
    select
        p.id as project_id, p.version, 'branding.logo' as name,
        old.branding->'logo' as old_value, p.branding->'logo' as new_value
    from updated p
    join project old on old.id = p.id
    where old.branding->'logo' is distinct from p.branding->'logo'
),
-- include: history(from = changes),
-- include: outbox(from = updated),
-- include: audit(from = updated)
select branding::text, version, '"' || version || '"' as etag from updated
