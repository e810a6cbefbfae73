-- Ends the sessions of a provider's identities, or of one, at most 1,000 in the order of their ids,
-- and numbers each change. The rows of sign-ins that have not become sessions are deleted. A logout
-- (`logged_out`) names a subject or the provider's session or both, and spares grants with
-- offline_access.
-- class: tx
-- in: provider uuid, only uuid null, logged_out bool, subject text null, sid text null, now int8
-- rows: many
-- row: struct change
with
named as materialized (
    select id
    from identity
    where provider_id = :provider and (:only::uuid is null or id = :only)
        and (:subject::text is null or subject = :subject)
),
login_deleted as (
    delete from login
    where identity_id = any (array(select id from named)) and identity_id is not null
        and (:sid::text is null or provider_sid = :sid
            or (provider_sid is null and :subject is not null))
),
ended as (
    update session s
    set ended_at = :now, end_reason = 'revoked', previous_hash = null, successor_sealed = null
    where s.identity_id = any (array(select id from named)) and s.identity_id is not null
        and s.end_reason is null
        and s.id = any (array(
            select id
            from session p
            where identity_id = any (array(select id from named)) and identity_id is not null
                and end_reason is null
                and (:sid::text is null or provider_sid = :sid
                    or (provider_sid is null and :subject is not null))
                and not (:logged_out and exists (
                    select
                    from oauth_grant g
                    where g.project_id = p.project_id and g.session_id = p.id
                        and g.parent_id is null
                ))
            order by id
            limit 1000
            for update
        ))
    returning s.id, s.project_id, s.account_id
),
-- include: audit(from = ended e, project = coalesce(e.project_id, :audit.project),
--     entity = 'Session/' || e.id,
--     event = {(:audit.event::jsonb || jsonb_build_object('account', e.account_id))::json}),
-- include: change_insert as change(kind = 'session', id = e.id, from = ended e)
select sequence, 'session' as kind, id, :change.until as until from change_inserted
