-- Takes a provider's answer, which is then gone, with its provider. `same`: the person is the one who
-- made the session. No row: unknown, taken, expired, or of another session.
-- class: tx
-- in: code_hash bytea, account uuid, project uuid, session uuid, step_up bool, now int8
-- rows: one
-- row: provider uuid, project uuid, name text, issuer text, challenge text, subject text
-- row: two_factors bool, same bool
delete from federated_login f
using identity_provider p
where f.code_hash = :code_hash and f.account_id = :account and f.session_id = :session
    and f.project_id = :project and f.step_up = :step_up
    and p.id = f.provider_id and p.state not in ('draft', 'disabled') and
    -- include: not_expired(column = f.expires_at, now = :now)
returning
    p.id as provider,
    p.project_id as project,
    p.name,
    p.issuer,
    f.challenge,
    f.subject,
    f.two_factors,
    exists (
        select
        from session s
        join identity i on i.id = s.identity_id
        where s.project_id = :project and s.id = :session
            and i.provider_id = f.provider_id and i.issuer = p.issuer and i.subject = f.subject
    ) as same
