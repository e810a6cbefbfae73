-- Adds rows of {table} to a project, as tenant_page has them; {match} says which row t has the key
-- of g. {as}_added are those that were not there, {as}_same those that were, as they are given:
-- {state} of the one is {given} of the other. A row of another project, one that this table does not
-- keep as it is given, and one that differs from what is there are neither.
-- {row} is a row of the file e with the columns that the release which made it did not have.
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
