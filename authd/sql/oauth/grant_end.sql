-- Ends a project's live grants, and numbers each change.
-- class: write tx
-- in: project uuid, sessions uuid[], now int8
-- rows: many
-- row: struct change
with
ended as (
    update session s
    set ended_at = :now, end_reason = 'revoked', previous_hash = null, successor_sealed = null
    where s.project_id = :project and s.id = any (array(
            select id
            from session
            where project_id = :project and id = any (:sessions) and end_reason is null
            order by id
            for update
        ))
    returning s.id, s.account_id
),
-- include: audit(from = ended e, entity = 'Session/' || e.id,
--     event = {(:audit.event::jsonb || jsonb_build_object('account', e.account_id))::json}),
-- include: change_insert as change(kind = 'session', id = e.id, from = ended e)
select sequence, 'session' as kind, id, :change.until as until from change_inserted
