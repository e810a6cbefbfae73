-- An admin, or an operator, has made invitation {invitation} or has sent it since: a sign-up
-- invites without rights of an admin and in the name of no member.
-- args: invitation
({invitation}.invited_by is not null or {invitation}.admin)
