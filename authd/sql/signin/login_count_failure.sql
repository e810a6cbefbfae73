-- Counts a wrong second factor for the login; the fifth ends it. login_lock locked the login.
-- class: tx
-- in: id uuid
-- rows: none
update login
set mfa_failures = mfa_failures + 1
where id = :id
