-- Pair, address and account of a sign-in, each with the time that keeps it at its limit, or null.
-- `pair` and `account` are keys; `addresses` are keys of the address and, for IPv6, of the pair
-- with its /48 and of the /48, which have eight times the limit. From a known address only the pair
-- counts. A pair that failed 100 times in a row waits: its row is kept for 24 hours after each
-- failure, returned as the time of a hit that leaves the window then.
-- in: pair bytea, addresses bytea[], account bytea, now int8, window int8, pair_most int8, most int8
select
    greatest(
        -- include: hit_at_limit(key = :pair, now = :now, window = :window, limit = :pair_most),
        (
            select t.until - :window
            from throttle t
            where t.key = :pair and t.in_a_row >= 100 and t.until > :now
                and t.until <= :now + 86400000
        ),
        case when not k.known then
            -- include: hit_at_limit(key = (:addresses)[2], now = :now, window = :window,
            --     limit = 8 * :pair_most)
        end
    ) as pair,
    case when not k.known then greatest(
        -- include: hit_at_limit(key = (:addresses)[1], now = :now, window = :window, limit = :most),
        -- include: hit_at_limit(key = (:addresses)[3], now = :now, window = :window,
        --     limit = 8 * :most)
    ) end as address,
    case when not k.known then
        -- include: hit_at_limit(key = :account, now = :now, window = :window, limit = :most)
    end as account
from (
    select exists (
        select
        from known_address
        where key = :pair and
            -- include: not_expired(column = until, now = :now)
    ) as known
    offset 0
) k
