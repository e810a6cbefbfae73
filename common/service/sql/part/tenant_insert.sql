-- Adds tenant_page's rows of {table} to a project; {match} finds the existing row t with the key of
-- the given row g. {as}_added are the new rows, {as}_same the existing ones with equal values:
-- {state} equals {given}. Neither includes rows of another project, rows that this table would not
-- keep unchanged, or rows that exist with other values. {row} is a row of the file e, completed
-- with columns that its release did not have.
-- args: table, match, project = g.project_id, own = t.project_id, state = t, given = g, row = e.value
-- in: project uuid, rows text
{as}_given as materialized (
    select g.*
    from json_array_elements(:rows::json) e (value),
        json_populate_record(null::{table}, {row}) g
    where {project} = :project and row_to_json(g)::text = ({row})::text
),
{as}_added as (
    insert into {table} select * from {as}_given on conflict do nothing returning *
),
{as}_same as (
    select 1
    from {as}_given g, {table} t
    where {own} = :project and {match}
        and row_to_json({state})::text = row_to_json({given})::text
),
{as}_found as (
    select from {as}_added limit 1
)
