-- Session {session} has neither ended nor expired at {now}. For a list of sessions: the first
-- condition is the predicate of the index session_account, which the list is read by.
-- args: session, now
{session}.ended_at is null and {session}.idle_until > {now} and {session}.absolute_until > {now}
