-- Ends an account's least recently used live sessions above `most`, never `kept`, and numbers each
-- change. Locks only rows that it ends, so that of two parallel statements, the second one skips
-- what the first one has ended.
-- class: write
-- in: account uuid, kept uuid, most int8, now int8, reason text
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
            select s.id
            from membership m
            cross join lateral (
                select id, last_updated
                from session s
                where s.project_id = m.project_id and s.account_id = m.account_id and
                    -- include: session_active(session = s, now = :now)
            ) s
            where m.account_id = :account and s.id <> :kept
            order by s.last_updated desc, s.id desc
            offset :most - 1
            limit 1000
        ))
    returning s.id, s.project_id
),
-- include: audit(from = ended e, project = coalesce(e.project_id, :audit.project),
--     entity = coalesce(:audit.entity, 'Session/' || e.id)),
-- include: change_insert as change(kind = 'session', id = e.id, from = ended e)
select sequence, 'session' as kind, id, :change.until as until from change_inserted
