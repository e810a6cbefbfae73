-- Returns a project's sealed rows between two sequence numbers, last first, filtered by time,
-- acting profile or account (`actor`), action or its noun, entity (`target`), and acting or
-- affected account. A person's actions without a session, such as a sign-in, have no profile:
-- `actor_account` is the person's account. For a person as target, `target_account` adds the
-- person's own actions.
-- class: read
-- in: project uuid, first int8, last int8, since int8, until int8
-- in: actor text null, actor_account text null, action text null, target text null
-- in: target_account text null, target_profile text null, account text null, most int8
-- rows: many
-- row: struct audit_record
select sequence, id, at, project_id as project, entity, event::text as event, hash
from audit
where project_id = :project and sequence >= :first and sequence <= :last and sequence is not null
    and at >= :since and at <= :until
    and (
        :actor::text is null or event #>> '{agent,profile}' = :actor
        or 'Account/' || (event #>> '{agent,account}') = :actor
        or event #>> '{agent,account}' = :actor_account
        or event #>> '{agent,profile}' is null and event #>> '{agent,service}' = 'gateway'
            and event ->> 'account' = :actor_account
    )
    and (
        :action::text is null or event ->> 'action' = :action
        or split_part(event ->> 'action', '.', 1) = :action
    )
    and (
        :target::text is null
        or entity in (:target, 'Account/' || :target_account::text, :target_profile::text)
        or event ->> 'account' = :target_account or event #>> '{agent,account}' = :target_account
    )
    and (
        :account::text is null or event ->> 'account' = :account
        or event #>> '{agent,account}' = :account
    )
order by sequence desc, id
limit :most
