-- The columns of struct member, of an invitation i.
i.id,
i.email,
i.name || ' ' || i.surname as "displayName",
i.name as "firstName",
i.surname as "lastName",
i.admin,
i.role as "profileType",
i.profile_id as "profileId",
true as pending,
i.invited_at as "invitedAt",
false as "emailVerified",
null::boolean as "localSignIn"
