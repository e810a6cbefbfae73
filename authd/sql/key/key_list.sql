-- Returns the keys whose tokens can be valid, newest first.
-- call: key_read
select kid, 'ES256' as alg, private_sealed, created_at, active_at, coalesce(retire_at, 0) as retire_at
from signing_key
where retire_at is null or retire_at > :now
order by active_at desc, kid
limit :most
