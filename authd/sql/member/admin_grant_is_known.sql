-- Whether admin_grant was done for a request.
-- class: read
-- in: key uuid
-- rows: one
-- row: known bool
select exists (select from granted where key = :key) as known
