-- Returns if the account has a second factor, and the secret that the session can enroll. No row:
-- unknown account.
-- class: read
-- in: account uuid, session uuid, now int8
-- rows: one
-- row: email text, secret_sealed bytea null, enrolled bool
select
    a.email,
    p.secret_sealed,
    f.enrolled_at is not null as enrolled
from account a
left join mfa_factor f on f.account_id = a.id
left join lateral (
    select p.secret_sealed
    from mfa_pending p
    where p.session_id = :session and
        -- include: factor_pending_is_good(account = a.id, now = :now)
) p on true
where a.id = :account
