-- Keeps other requests from adding FHIR servers to the project until the transaction ends.
-- class: tx
-- in: project uuid
-- rows: one
select from pg_advisory_xact_lock(hashtextextended('fhir servers ' || :project, 0))
