-- Starts a sign-in at a provider. `browser_hash`: a page's; null: an application's. `account`: of a
-- signed-in person.
-- class: write
-- in: id uuid, provider uuid, project uuid, role role, state_hash bytea, nonce text, verifier text
-- in: browser_hash bytea null, challenge text null, redirect_uri text null
-- in: account uuid null, session uuid null, step_up bool, test bool, next text null, now int8
-- in: expires_at int8
-- rows: none
insert into federated_login (
    id, provider_id, project_id, role, state_hash, nonce, verifier, browser_hash, challenge,
    redirect_uri, account_id, session_id, step_up, test, next, created_at, expires_at
)
values (
    :id, :provider, :project, :role, :state_hash, :nonce, :verifier, :browser_hash, :challenge,
    :redirect_uri, :account, :session, :step_up, :test, :next, :now, :expires_at
)
