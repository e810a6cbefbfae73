-- A key of the issuers, published or not. No row: it is none, or was deleted.
-- class: read
-- in: kid text
-- rows: one
-- row: alg text, private_sealed bytea
select alg, private_sealed from issuer_key where kid = :kid
