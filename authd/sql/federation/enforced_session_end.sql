-- Ends the sessions in a project of people who must sign in with an identity provider, unless it
-- made them; at most 1,000 in the order of their ids. `above`: the project with those above it.
-- class: tx
-- in: project uuid, above uuid[], roles text[], now int8
-- rows: many
-- row: struct change
with
ended as (
    update session s
    set ended_at = :now, end_reason = 'revoked', previous_hash = null, successor_sealed = null
    where s.project_id = :project and s.end_reason is null and s.id = any (array(
        select o.id
        from session o
        where o.project_id = :project and o.end_reason is null
            and lower(o.role) || 's' = any (:roles)
            and enforced_for(:above, o.account_id, o.role, null, o.identity_id)
        order by o.id
        limit 1000
        for update
    ))
    returning s.id, s.project_id, s.account_id
),
-- include: audit(from = ended e, project = e.project_id, entity = 'Session/' || e.id,
--     event = {(:audit.event::jsonb || jsonb_build_object('account', e.account_id))::json}),
-- include: change_insert as change(kind = 'session', id = e.id, from = ended e)
select sequence, 'session' as kind, id, :change.until as until from change_inserted
