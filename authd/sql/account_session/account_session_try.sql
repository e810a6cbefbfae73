-- Counts one of a session's five tries for its emailed code, before the comparison, so that
-- parallel tries gain nothing. No row: it does not wait, or has had five.
-- class: tx
-- in: id uuid, code_hash bytea
-- rows: one
-- row: matches bool
update account_session
set code_failures = code_failures + 1
where id = :id and code_hash is not null and code_failures < 5
returning code_hash = :code_hash as matches
