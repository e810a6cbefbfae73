-- Values of a written bot except secrets: name, kind, url, program, timeout_ms, warm, identifier,
-- in this order.
-- in: name text, kind text, url text null, program text null, timeout_ms int8, warm bool
-- in: identifier text, secret_names text null, secrets bytea, signing bytea
:name, :kind, :url, :program, :timeout_ms, :warm, :identifier::json
