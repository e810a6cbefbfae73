-- Whether an access policy binds a member of a project, or who is invited.
-- class: read
-- in: project uuid, policy uuid
-- rows: one
-- row: in_use bool
select
    exists (select from membership where project_id = :project and policy_id = :policy)
    or exists (select from invitation where project_id = :project and policy_id = :policy)
    as in_use
