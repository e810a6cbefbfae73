-- The person of {account} who signed in with {session}, for claims (authd/oauth/person_claims.h).
-- Addresses are verified for an organization, or for all (the nil UUID).
-- args: session, account, profile, organization
-- row: profile uuid, role role, name text, surname text, email text, verified bool
{profile} as profile,
{session}.role,
{account}.name,
{account}.surname,
{account}.email,
-- include: email_is_verified(account = {account}.id, organization = {organization})
as verified
