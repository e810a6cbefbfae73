-- When and with what the owner of a session last proved who they are.

alter table session
    -- of the last step-up; null: the sign-in or registration that made the session, at created_at
    add column proven_at bigint,
    -- enrolled or shown since the sign-in; auth_method says what the sign-in itself showed
    add column second_factor boolean not null default false;
