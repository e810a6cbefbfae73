-- Returns a project's access policies, oldest first: at most 1,000, with at most `most` bytes of
-- text. Older releases allowed more.
-- class: read
-- in: project uuid, most int8
-- rows: many
-- row: struct access_policy
select
    -- include: policy_columns(from = a)
from (
    select
        a.*,
        sum(
            -- include: policy_bytes(from = a)
        ) over (order by a.created_at, a.id) as bytes
    from access_policy a
    where a.project_id = :project
) a
where a.bytes <= :most
order by a.created_at, a.id
limit 1000
