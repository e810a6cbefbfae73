-- Locks a member, who then can't sign in to the project. No row: already locked, or not a member.
-- `by_directory` (SCIM) marks the lock as the directory's, which can unlock only such members. Of a
-- locked member, another lock takes the mark away.
-- class: tx
-- in: project uuid, id uuid, now int8, by_directory bool
-- rows: one
with
locked as (
    update membership
    set locked_at = :now
    where project_id = :project and id = :id and locked_at is null
    returning id
),
marked as (
    insert into scim_user (project_id, id, membership_id, locked_at)
    select :project, id, id, :now from locked where :by_directory
    on conflict (project_id, id) do update set locked_at = excluded.locked_at
),
unmarked as (
    update scim_user
    set locked_at = null
    where project_id = :project and id = :id and not :by_directory and locked_at is not null
),
-- include: audit(from = locked)
select from locked
