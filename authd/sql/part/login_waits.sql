-- True if login l waits for a second factor at {now}: it has no session code, is unused and has not
-- expired, with fewer than five wrong codes. Subtracts times, see not_expired.
-- args: now
l.code_hash is null and l.used_at is null and l.mfa_failures < 5 and l.expires_at - {now} > 0
