-- Records a fresh proof of the session's owner. `factor`: by a second factor. Without project: a
-- session of the installation's own pages.
-- class: write tx
-- in: project uuid null, session uuid, now int8, factor bool
-- rows: one
with
session_proven as (
    update session
    set proven_at = :now, second_factor = second_factor or :factor
    where project_id = :project and id = :session and end_reason is null
    returning id
),
account_session_proven as (
    update account_session
    set proven_at = :now, second_factor = second_factor or :factor
    where :project is null and id = :session
    returning id
),
proven as (
    select id from session_proven
    union all
    select id from account_session_proven
),
-- include: audit(from = proven)
select from proven
