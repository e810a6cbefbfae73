-- The keys of the issuers that are published, newest first.
-- class: read
-- in: now int8, most int8
-- rows: many
-- row: kid text, alg text, private_sealed bytea, created_at int8, active_at int8, retire_at int8
select kid, alg, private_sealed, created_at, active_at, coalesce(retire_at, 0) as retire_at
from issuer_key
where retire_at is null or retire_at > :now
order by active_at desc, kid
limit :most
