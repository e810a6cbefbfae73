-- Ends an account's sessions in a project, at most 1,000 in the order of their ids, and numbers
-- each change: `only` one with its grants, or all `except` one. `token`: the jti that signed out.
-- class: write tx
-- in: project uuid, account uuid, only uuid null, except uuid null
-- in: now int8, reason text, token uuid null, until int8
-- rows: many
-- row: struct change
with
ended as (
    update session s
    set
        ended_at = :now,
        end_reason = :reason,
        end_token = :token,
        previous_hash = null,
        successor_sealed = null
    where s.project_id = :project and s.account_id = :account and s.ended_at is null
        and s.id = any (array(
            select id
            from session
            where project_id = :project and account_id = :account and ended_at is null
                and (:only::uuid is null or id = :only or id in (
                    select session_id
                    from oauth_grant
                    where project_id = :project and parent_id = :only
                ))
                and (:except::uuid is null or id <> :except)
            order by id
            limit 1000
            for update
        ))
    returning s.id
),
-- include: audit(from = ended e, entity = coalesce(:audit.entity, 'Session/' || e.id)),
counted as (
    update change_counter
    set sequence = sequence + 1
    where exists (select from ended)
    returning sequence
)
insert into change (sequence, kind, id, token, until)
select c.sequence, 'session', e.id, :token, :until from counted c, ended e
returning sequence, kind, id, token, until
