-- The columns of struct member, of a membership m with its account a.
-- args: organization
m.id,
a.email,
a.name || ' ' || a.surname as "displayName",
a.name as "firstName",
a.surname as "lastName",
m.admin,
a.role as "profileType",
m.profile_id as "profileId",
false as pending,
m.invited_at as "invitedAt",
-- include: email_is_verified(account = a.id, organization = {organization})
as "emailVerified",
nullif(m.local_sign_in, false) as "localSignIn"
