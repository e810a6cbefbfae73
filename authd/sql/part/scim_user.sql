-- A user of a project's directory: row {from} of a membership or invitation, with the person's
-- names {person} and its row s of scim_user, which can be missing. {until}:
-- when an invitation's link expires.
-- args: from, person, account, active, created, until
-- row: id uuid, user_name text, external_id text null, email text, name text, surname text
-- row: account uuid null, active bool, admin bool, created int8
-- row: invited_until int8 null
{from}.id,
coalesce(s.user_name, {person}.email) as user_name,
s.external_id,
{person}.email,
{person}.name,
{person}.surname,
{account} as account,
{active} as active,
{from}.admin,
{created} as created,
{until} as invited_until
