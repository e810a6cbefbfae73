-- Counts a wrong code of a second factor for the login; the fifth ends it. The login is locked by
-- login_lock.
-- class: tx
-- in: id uuid
-- rows: none
update login
set mfa_failures = mfa_failures + 1
where id = :id
