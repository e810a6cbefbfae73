-- A second link to a pending invitation. Someone who signs up with a business address that an admin
-- has invited gets their own link, which creates a member with the project's default policy.
-- Invitation and admin's link stay unchanged.

alter table invitation
    add column sign_up_hash        bytea,   -- newest such link; null: none
    add column sign_up_expires_at  bigint,
    add check ((sign_up_hash is null) = (sign_up_expires_at is null)) not valid;
