-- Makes a login after a right password, or for a provider's `identity` and its session `sid`, if it
-- is below its limits, and returns these. A login with a code makes its network address known until
-- `known_until`; one without waits for a second factor. Not created: at a limit, or the account was
-- deleted meanwhile.
-- class: write
-- in: id uuid, code_hash bytea null, account uuid, project uuid null, challenge text null
-- in: within uuid null, identity uuid null, sid text null, auth_method text, expires_at int8
-- in: known_until int8, changes int8
-- rows: one
-- row: pair int8 null, address int8 null, account int8 null, created bool, renewed bool
with
state as materialized (
    -- include: throttle_limits
),
login_inserted as (
    insert into login (
        id, code_hash, account_id, project_id, within_id, identity_id, provider_sid, challenge,
        auth_method, created_at, expires_at, credential_changes
    )
    select
        :id, :code_hash, a.id, :project, :within, :identity, :sid, :challenge, :auth_method,
        :throttle_limits.now, :expires_at, :changes
    from account a
    where a.id = :account and
        -- include: account_active(account = a, now = :throttle_limits.now)
        and (select pair is null and address is null and account is null from state)
    for key share of a
    returning account_id
),
-- include: password_renew as password(from = login_inserted),
shown as (
    select from login_inserted where :code_hash is not null
),
-- include: address_known(key = :throttle_limits.pair, until = :known_until, from = shown)
select
    pair,
    address,
    account,
    exists (select from login_inserted) as created,
    exists (select from password_renewed) as renewed
from state
