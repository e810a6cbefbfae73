-- True if session {session} has not ended or expired at {now}. For lists of sessions: the first
-- condition is the predicate of their index session_account.
-- args: session, now
{session}.ended_at is null and {session}.idle_until > {now} and {session}.absolute_until > {now}
