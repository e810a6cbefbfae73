-- Deletes the `most` oldest expired rows of each table. Returns the largest number deleted from a
-- table.
-- class: write
-- in: now int8, ended_before int8, invited_before int8, expired_before int8, most int8
-- in: issuer_keys_before int8, logouts_before int8, hours_before int8, granted_before int8
-- rows: one
-- row: deleted int8
with
-- include: sweep_rows as logins(table = login, column = expires_at, before = :now, most = :most),
-- include: sweep_rows as federated(table = federated_login, column = expires_at,
--     before = :now, most = :most),
-- include: sweep_rows as account_sessions(table = account_session, column = absolute_until,
--     before = :now, most = :most),
-- include: sweep_rows as links(table = continue_spent, column = until,
--     before = :now, most = :most),
-- include: sweep_rows as factors(table = mfa_pending, column = expires_at,
--     before = :now, most = :most),
-- include: sweep_rows as ceremonies(table = passkey_ceremony, column = expires_at,
--     before = :now, most = :most),
-- include: sweep_rows as starts(table = passkey_start_spent, column = until,
--     before = :now, most = :most),
-- include: sweep_rows as revoked(table = api_key, column = revoked_at,
--     before = :ended_before, most = :most),
-- include: sweep_rows as expired(table = api_key, column = expires_at,
--     before = :expired_before, most = :most),
-- include: sweep_rows as directories(table = scim_token, column = expires_at,
--     before = :expired_before, most = :most),
-- include: sweep_rows as codes(table = mail_code, column = expires_at,
--     before = :now, most = :most),
-- include: sweep_rows as pushed(table = oauth_pushed, column = keep_until,
--     before = :now, most = :most),
-- include: sweep_rows as oauth_codes(table = oauth_code, column = keep_until,
--     before = :now, most = :most),
-- include: sweep_rows as devices(table = oauth_device, column = keep_until,
--     before = :now, most = :most),
-- include: sweep_rows as launches(table = smart_launch, column = expires_at,
--     before = :now, most = :most),
-- include: sweep_rows as resets(table = password_reset, column = expires_at,
--     before = :now, most = :most),
-- include: sweep_rows as proofs(table = email_link, column = expires_at,
--     before = :now, most = :most),
-- include: sweep_rows as undos(table = email_undo, column = expires_at,
--     before = :now, most = :most),
-- include: sweep_rows as invitations(table = invitation, column = expires_at,
--     before = :invited_before, most = :most, open = {not exists (
--         select from project_hold h where h.project_id = invitation.project_id offset 0
--     )}),
-- include: sweep_rows as imports(table = import_batch, column = expires_at,
--     before = :now, most = :most),
-- include: sweep_rows as transfers(table = transfer_account, column = expires_at,
--     before = :now, most = :most),
-- include: sweep_rows as throttles(table = throttle, column = until, before = :now, most = :most),
-- include: sweep_rows as addresses(table = known_address, column = until,
--     before = :now, most = :most),
-- include: sweep_rows as changes(table = change, column = until, before = :now, most = :most),
-- include: sweep_rows as ended(table = session, column = ended_at,
--     before = :ended_before, most = :most),
-- include: sweep_rows as over(table = session, column = absolute_until,
--     before = :ended_before, most = :most),
-- include: sweep_rows as logouts(table = logout_delivery, column = ended_at,
--     before = :logouts_before, most = :most),
-- include: sweep_rows as onces(table = oauth_once, column = expires_at,
--     before = :now, most = :most),
-- include: sweep_rows as submissions(table = page_submission, column = until,
--     before = :now, most = :most),
-- include: sweep_rows as hours(table = trail_sign_in, column = hour,
--     before = :hours_before, most = :most),
-- include: sweep_rows as grants(table = granted, column = granted_at,
--     before = :granted_before, most = :most),
keys as (
    delete from signing_key where retire_at < :ended_before
),
issuer_keys as (
    delete from issuer_key where retire_at < :issuer_keys_before
)
select max(n) as deleted
from (
    select count(*) from logins
    union all
    select count(*) from federated
    union all
    select count(*) from logouts
    union all
    select count(*) from links
    union all
    select count(*) from factors
    union all
    select count(*) from ceremonies
    union all
    select count(*) from starts
    union all
    select count(*) from revoked
    union all
    select count(*) from expired
    union all
    select count(*) from directories
    union all
    select count(*) from account_sessions
    union all
    select count(*) from codes
    union all
    select count(*) from pushed
    union all
    select count(*) from oauth_codes
    union all
    select count(*) from devices
    union all
    select count(*) from launches
    union all
    select count(*) from resets
    union all
    select count(*) from proofs
    union all
    select count(*) from undos
    union all
    select count(*) from invitations
    union all
    select count(*) from imports
    union all
    select count(*) from transfers
    union all
    select count(*) from throttles
    union all
    select count(*) from addresses
    union all
    select count(*) from changes
    union all
    select count(*) from ended
    union all
    select count(*) from over
    union all
    select count(*) from onces
    union all
    select count(*) from submissions
    union all
    select count(*) from hours
    union all
    select count(*) from grants
) counts (n)
