-- Makes the session's secret its account's second factor, with ten recovery codes (`hashes`, 32
-- bytes each). Does nothing if the credential has changed since the secret was made. `step`: time
-- step of the entered code. Sign-ins begun with only a password end, see login_spend, and the
-- session now has a factor.
-- class: tx
-- in: project uuid null, session uuid, now int8, step int8, hashes bytea
-- rows: none
with
pending as (
    delete from mfa_pending where session_id = :session returning *
),
changed as (
    update credential c
    set changes = c.changes + 1
    from pending p
    where c.account_id = p.account_id and c.changes = p.credential_changes
    returning c.account_id, p.secret_sealed
),
enrolled as (
    insert into mfa_factor as f (account_id, secret_sealed, created_at, enrolled_at, last_step)
    select account_id, secret_sealed, :now, :now, :step from changed
    on conflict (account_id) do update set
        secret_sealed = excluded.secret_sealed,
        created_at = excluded.created_at,
        enrolled_at = excluded.enrolled_at,
        last_step = excluded.last_step
    where f.enrolled_at is null
    returning account_id
),
marked as (
    update session
    set second_factor = true
    where project_id = :project and id = :session and exists (select from enrolled)
),
account_marked as (
    update account_session
    set second_factor = true
    where :project is null and id = :session and exists (select from enrolled)
),
-- include: audit(from = enrolled)
insert into mfa_recovery (account_id, code_hash)
select account_id, substr(:hashes, 1 + 32 * i, 32)
from enrolled, generate_series(0, 9) i
