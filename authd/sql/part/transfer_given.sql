-- {as} are a project's accounts with memberships among rows of a tenant's file. A membership of an
-- earlier release ends before the columns that were added later, which get their defaults.
-- args: rows, project
{as} as materialized (
    select r.account, r.membership
    from json_array_elements({rows}::json) f (value),
        json_populate_record(null::account, f.value -> 'account') a,
        json_populate_record(
            json_populate_record(null::membership, '{"end_wipe": false}'), f.value -> 'membership'
        ) m,
        lateral (select a as account, m as membership) r
    where m.project_id = {project} and m.account_id = a.id
        and (a.role = 'Practitioner' or a.project_id = {project})
        and f.value #> '{membership,created_at}' is not null
        and starts_with(row_to_json(r)::text, left(f.value::text, -2))
)
