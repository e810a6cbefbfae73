-- Returns the key that signs checkpoints. No row: none yet.
-- class: read
-- rows: one
-- row: public bytea, secret bytea
select public_key as public, secret_sealed as secret from trail_key
