-- Takes one of the five tries that a session has for its mailed code: of tries at once each is
-- counted before it is compared. No row: it waits for none, or has had five.
-- class: tx
-- in: id uuid, code_hash bytea
-- rows: one
-- row: matches bool
update account_session
set code_failures = code_failures + 1
where id = :id and code_hash is not null and code_failures < 5
returning code_hash = :code_hash as matches
