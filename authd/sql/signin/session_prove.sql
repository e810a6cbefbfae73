-- The owner of a session has proven to be that again; `factor`: a code of the second factor was
-- shown.
-- class: write tx
-- in: project uuid, session uuid, now int8, factor bool
-- rows: one
with
proven as (
    update session
    set proven_at = :now, second_factor = second_factor or :factor
    where project_id = :project and id = :session and end_reason is null
    returning id
),
-- include: audit(from = proven)
select from proven
