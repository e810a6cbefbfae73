-- Adds a project with its tenant code, if any, the history of its first settings, and a message to
-- another daemon.
-- class: tx
-- in: id uuid, parent uuid null, name text, settings text, account_policy text null
-- in: code text null, maker uuid null, now int8
-- rows: one
with
inserted as (
    insert into project (id, parent_id, name, settings, created_at, account_policy, created_by)
    values (:id, :parent, :name, :settings::jsonb, :now, :account_policy::jsonb, :maker)
    returning id
),
code_inserted as (
    insert into tenant_code (code, project_id)
    select :code, id from inserted where :code is not null
),
changes as (
    select i.id as project_id, 1 as version, s.name, null::jsonb as old_value, s.new_value
    from inserted i, (
        select key as name, value as new_value from jsonb_each(:settings::jsonb)
        union all
        select 'accountPolicy.' || key, value from jsonb_each(:account_policy::jsonb)
    ) s
),
-- include: history(from = changes),
-- include: outbox(from = inserted),
-- include: audit(from = inserted)
select from inserted
