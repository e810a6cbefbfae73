-- True when admin_grant ran for a request.
-- class: read
-- in: key uuid
-- rows: one
-- row: known bool
select exists (select from granted where key = :key) as known
