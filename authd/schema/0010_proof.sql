-- Time and method of a session owner's last proof.

alter table session
    -- time of the last step-up; null: none since the sign-in or registration, at created_at
    add column proven_at bigint,
    -- a second factor was enrolled or used after the sign-in (auth_method is the sign-in's)
    add column second_factor boolean not null default false;
