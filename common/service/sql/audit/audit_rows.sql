-- Sealed rows of a project between two places in the chain, the last first, as far as they fit: by
-- their time, by the profile or account that acted (`actor`), by their action or its noun, by what
-- they are about (`target`), and by an account that they are about or that acted. What a person did
-- without a session, as to sign in, has no profile: `actor_account` is the person's account. Of a
-- target that is a person, with `target_account`, also what that person did.
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
