-- Whether an id was spent. No row: it was not.
-- class: read
-- in: hash bytea
-- rows: one
-- row: spent bool
select true as spent from oauth_once where hash = :hash
