-- True if an admin or operator has created or sent invitation {invitation}. Sign-ups invite without
-- admin rights and in no member's name.
-- args: invitation
({invitation}.invited_by is not null or {invitation}.admin)
