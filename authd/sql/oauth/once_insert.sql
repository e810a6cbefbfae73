-- Spends an id. No row: already spent.
-- class: write tx
-- in: hash bytea, expires_at int8
-- rows: one
-- row: first bool
insert into oauth_once (hash, expires_at)
values (:hash, :expires_at)
on conflict do nothing
returning true as first
