-- Returns the states and subjects of refresh tokens, see authd/session/refresh_state.h. `number` is
-- the position in the lists, from 1. No row: no such session.
-- class: read
-- in: projects uuid[], sessions uuid[], hashes bytea[], now int8, retry_window int8
-- rows: many
-- row: number int8, status text, account uuid, membership uuid null, profile uuid, role role
-- row: admin bool null, policy uuid null, is_grant bool, successor bytea null, change int8
select
    w.number,
    v.status,
    v.account_id as account,
    v.membership_id as membership,
    v.profile_id as profile,
    v.role,
    v.admin,
    v.policy_id as policy,
    v.is_grant,
    case when v.status = 'again' then v.successor_sealed end as successor,
    -- include: settings_change
    as change
from unnest(:projects, :sessions, :hashes) with ordinality as w (project_id, id, hash, number)
cross join lateral (
    select
        s.account_id, s.membership_id, s.profile_id, s.role, s.successor_sealed, m.admin,
        m.policy_id, g.session_id is not null as is_grant,
        case
            when m.id is null or m.locked_at is not null or p.end_reason is not null or not (
                -- include: session_valid(session = s, now = :now)
                and (
                    select
                        -- include: account_active(account = a, now = :now)
                    from account a
                    where a.id = s.account_id
                )
            ) then 'over'
            when s.refresh_hash = w.hash then 'current'
            when s.previous_hash = w.hash and s.rotated_at > :now - :retry_window then 'again'
            else 'theft'
        end as status
    from session s
    left join lateral (
        select id, admin, policy_id, locked_at
        from membership
        where project_id = s.project_id and id = s.membership_id
        limit 1
    ) m on true
    left join lateral (
        select session_id, parent_id
        from oauth_grant
        where project_id = s.project_id and session_id = s.id
        limit 1
    ) g on true
    left join lateral (
        select end_reason
        from session
        where project_id = s.project_id and id = g.parent_id
        limit 1
    ) p on true
    where s.project_id = w.project_id and s.id = w.id
    limit 1
) v
