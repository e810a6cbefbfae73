-- Writes members of a project's account policy. No row: the project has another version.
-- class: write
-- in: project uuid, version int8, members text
-- rows: one
-- row: account_policy text null, version int8, etag text
with
updated as (
    update project
    set version = version + 1, account_policy = coalesce(account_policy, '{}') || :members::jsonb
    where id = :project and version = :version
    returning *
),
changes as (
    select
        p.id as project_id, p.version, 'accountPolicy.' || c.key as name,
        old.account_policy->c.key as old_value, c.value as new_value
    from updated p
    join project old on old.id = p.id, jsonb_each(:members::jsonb) c
    where c.value is distinct from old.account_policy->c.key
),
-- include: history(from = changes),
-- include: outbox(from = updated),
-- include: audit(from = updated)
select account_policy::text, version, '"' || version || '"' as etag from updated
