-- Pending invitations by address.
drop index concurrently if exists invitation_email;
create index concurrently invitation_email on invitation (email) where role = 'Practitioner';
