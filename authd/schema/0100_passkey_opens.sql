-- What a passkey opens: the project in whose session it was created, and those below it; the nil
-- UUID: all memberships (created in a session of the installation's own pages); the max UUID (RFC
-- 9562, section 5.10): none. Null: an earlier release did not record it; authd finds it out
-- (authd/passkey/passkey_opens.h). project_id says only whose application has the RP ID.
alter table passkey add column opens_id uuid;
