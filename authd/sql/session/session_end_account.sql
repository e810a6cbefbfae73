-- Ends an account's sessions after a credential change, in all projects and on the installation's
-- own pages, `except` one, at most 1,000 in the order of their ids, and numbers each change.
-- class: tx
-- in: account uuid, except uuid null, now int8, reason text
-- rows: many
-- row: struct change
with
ended as (
    update session s
    set ended_at = :now, end_reason = :reason, previous_hash = null, successor_sealed = null
    where s.project_id = any (array(
            select project_id from membership where account_id = :account
        ))
        and s.account_id = :account and s.ended_at is null
        and s.id = any (array(
            select id
            from session
            where project_id = any (array(
                    select project_id from membership where account_id = :account
                ))
                and account_id = :account and ended_at is null
                and (:except::uuid is null or id <> :except)
            order by id
            limit 1000
            for update
        ))
    returning s.id, s.project_id
),
account_ended as (
    delete from account_session
    where account_id = :account and (:except::uuid is null or id <> :except)
),
-- include: audit(from = ended e, project = coalesce(e.project_id, :audit.project),
--     entity = coalesce(:audit.entity, 'Session/' || e.id)),
-- include: change_insert as change(kind = 'session', id = e.id, from = ended e)
select sequence, 'session' as kind, id, :change.until as until from change_inserted
