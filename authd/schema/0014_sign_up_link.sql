-- A second link to a pending invitation: who signs up with a business address that an admin has invited gets a link of
-- its own, which makes a member with the project's default policy. It leaves the invitation and the admin's link alone.

alter table invitation
    add column sign_up_hash        bytea,   -- of the newest such link; null: there is none
    add column sign_up_expires_at  bigint,
    add check ((sign_up_hash is null) = (sign_up_expires_at is null)) not valid;
