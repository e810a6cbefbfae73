-- Rotates current refresh tokens. Returns the numbers of the rotated ones, from 1, and their
-- subjects. A token with a `change` other than 0 rotates only if that is the number of the last
-- change of a policy or project, the member's policy or "none" is in `open`, a space-separated
-- list, and the session is no grant; see authd/session/rotation.h. A locked session is skipped.
-- class: write
-- in: projects uuid[], sessions uuid[], hashes bytea[], next_hashes bytea[], successors bytea[]
-- in: changes int8[], opens text[], now int8, idle_until int8
-- rows: many
-- row: number int8, membership uuid, profile uuid, role role, admin bool
with
held as (
    select w.number, w.next_hash, w.sealed, s.place, s.admin
    from unnest(:projects, :sessions, :hashes, :next_hashes, :successors, :changes, :opens)
        with ordinality
        as w (project_id, id, hash, next_hash, sealed, change, open, number)
    cross join lateral (
        select s.ctid as place, m.admin
        from session s
        cross join lateral (
            select admin, policy_id
            from membership
            where project_id = s.project_id and id = s.membership_id and locked_at is null
            limit 1
        ) m
        where s.project_id = w.project_id and s.id = w.id and s.refresh_hash = w.hash and
            -- include: session_valid(session = s, now = :now)
            and (
                select
                    -- include: account_active(account = a, now = :now)
                from account a
                where a.id = s.account_id
            ) and (
                w.change = 0 or
                (
                    coalesce(m.policy_id::text, 'none') = any(string_to_array(w.open, ' ')) and
                    w.change =
                        -- include: settings_change
                    and not exists (
                        select from oauth_grant g
                        where g.project_id = s.project_id and g.session_id = s.id
                    )
                )
            )
        for no key update of s skip locked
    ) s
)
update session s
set
    generation = s.generation + 1,
    previous_hash = s.refresh_hash,
    refresh_hash = h.next_hash,
    successor_sealed = h.sealed,
    rotated_at = :now,
    last_updated = :now,
    idle_until = least(:idle_until, s.absolute_until)
from held h
where s.ctid = h.place
returning h.number, s.membership_id as membership, s.profile_id as profile, s.role, h.admin
