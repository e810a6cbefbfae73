-- True when a member, pending invitation, API key or SCIM mapping uses an access policy.
-- class: read
-- in: project uuid, policy uuid, now int8
-- rows: one
-- row: in_use bool
select
    exists (select from membership where project_id = :project and policy_id = :policy)
    or exists (select from invitation where project_id = :project and policy_id = :policy)
    or exists (
        select
        from api_key
        where project_id = :project and policy_id = :policy and revoked_at is null
            and expires_at > :now
    )
    or exists (select from scim_mapping where project_id = :project and policy_id = :policy)
    as in_use
