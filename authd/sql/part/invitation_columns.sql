-- The columns of struct invitation_row, of an invitation i.
i.id,
i.role,
i.email,
i.name,
i.surname,
i.admin,
i.policy_id as policy,
i.profile_id as profile,
i.invited_at as "invitedAt",
i.invited_by as "invitedBy",
-- include: invited_by_admin(invitation = i)
as "byAdmin"
