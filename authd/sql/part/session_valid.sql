-- Like session_active, for one session {session} that is found by its key. end_reason means the
-- same as ended_at but matches no other index: a plan from when the table was small would read all
-- of session_account.
-- args: session, now
{session}.end_reason is null and {session}.idle_until > {now} and {session}.absolute_until > {now}
