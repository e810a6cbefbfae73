-- A signed-in person's round at the identity provider: to link an identity, or for a fresh proof. The
-- provider's answer is kept for the session that started it.
alter table federated_login
    add column account_id uuid references account on delete cascade,  -- null: a sign-in, or a test
    add column session_id uuid,
    add column code_hash bytea,      -- null: no answer yet
    add column subject text,         -- the answer's
    add column two_factors boolean;  -- the answer shows two, and the provider is trusted for that
alter table federated_login add column step_up boolean not null default false;
