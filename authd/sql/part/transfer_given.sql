-- {as} are a project's accounts with memberships among rows of a tenant's file, in this release's
-- format. Earlier releases' memberships have no scheduled end.
-- args: rows, project
{as} as materialized (
    select r.account, r.membership
    from json_array_elements({rows}::json) f (value),
        lateral (
            select case
                when f.value #> '{membership,created_at}' is not null
                    and f.value #> '{membership,end_wipe}' is null
                then (left(f.value::text, -2)
                    || ',"end_at":null,"end_schedule":null,"end_wipe":false}}')::json
                else f.value
            end as value
        ) e,
        json_populate_record(null::account, e.value -> 'account') a,
        json_populate_record(null::membership, e.value -> 'membership') m,
        lateral (select a as account, m as membership) r
    where m.project_id = {project} and m.account_id = a.id
        and (a.role = 'Practitioner' or a.project_id = {project})
        and row_to_json(r)::text = e.value::text
)
