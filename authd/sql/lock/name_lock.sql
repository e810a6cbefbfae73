-- Keeps other requests from changing what the text names until the transaction ends. Each use has a
-- prefix of its own, such as "api keys" before a project's id.
-- class: tx
-- in: name text
-- rows: one
select from pg_advisory_xact_lock(hashtextextended(:name, 0))
