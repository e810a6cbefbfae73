-- Columns of struct found_bot, from bot b.
b.id,
b.url,
b.program,
b.timeout_ms,
b.updated_at as version,
b.warm,
b.secrets_sealed,
b.signing_sealed
