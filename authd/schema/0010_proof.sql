-- Time and method of a session owner's last proof.

alter table session
    -- the last step-up; null: the sign-in or registration that created the session, at created_at
    add column proven_at bigint,
    -- a factor enrolled or used since the sign-in, whose own method is auth_method
    add column second_factor boolean not null default false;
