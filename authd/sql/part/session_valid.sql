-- The same as session_active for one session {session} that is found by its key. end_reason says
-- what ended_at says but offers no other index: a plan made while the table was small would read
-- session_account from end to end.
-- args: session, now
{session}.end_reason is null and {session}.idle_until > {now} and {session}.absolute_until > {now}
