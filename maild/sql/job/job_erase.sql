-- Deletes all jobs of a deleted account, including one in progress, and counts them for its
-- erasure.
-- class: write
-- in: account uuid
-- rows: none
with
deleted as (
    delete from job where account_id = :account returning 1
),
erased as (
    select 'job' as table_name, count(*) as rows, 0::bigint as bytes from deleted
),
found as (
    select from deleted limit 1
),
-- include: erasure_count as erasure(from = erased c),
-- include: audit(from = found)
select from deleted
