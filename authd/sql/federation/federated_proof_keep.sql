-- Keeps a provider's answer for the session that started the round.
-- class: write
-- in: id uuid, code_hash bytea, subject text, two_factors bool
-- rows: none
update federated_login
set code_hash = :code_hash, subject = :subject, two_factors = :two_factors
where id = :id
