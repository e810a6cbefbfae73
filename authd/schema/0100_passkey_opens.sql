-- What a passkey opens: the project in whose session it was made, and those below it; the nil UUID:
-- every membership (it was made in a session of the installation's own pages); the max UUID (RFC
-- 9562, section 5.10): none. Null: it was made by a build that did not record this; authd finds it
-- out (authd/passkey/passkey_opens.h). The column project_id says only whose application its rp id
-- is of.
alter table passkey add column opens_id uuid;
