-- Returns an issuers' key, published or not. No row: there is none, or it was deleted.
-- class: read
-- in: kid text
-- rows: one
-- row: alg text, private_sealed bytea
select alg, private_sealed from issuer_key where kid = :kid
