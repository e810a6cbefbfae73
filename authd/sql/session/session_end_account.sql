-- Ends the sessions of an account in all projects and those of the installation's own pages, all
-- `except` one, 1,000 at most in the order of their ids, and numbers the change of each: with a
-- change of its credential.
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
