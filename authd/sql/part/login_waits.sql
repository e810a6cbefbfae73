-- Login l waits for a second factor at {now}: it has no session code yet, was not used, has not
-- expired, and fewer than five wrong codes were entered for it. A subtraction, which no index
-- offers: a plan made while the table was empty would prefer the index on expires_at to the key,
-- and read all logins for each request.
-- args: now
l.code_hash is null and l.used_at is null and l.mfa_failures < 5 and l.expires_at - {now} > 0
