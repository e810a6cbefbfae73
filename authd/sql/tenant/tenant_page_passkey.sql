-- Returns a page of passkeys that open a project, for another installation, after the passkey
-- `after` of the membership `place`. Passkeys of this installation's own pages open only the
-- project there.
-- call: tenant_member_read
select
    row_to_json(
        json_populate_record(
            k.passkey,
            json_build_object(
                'opens_id', case when (k.passkey).opens_id is not null then m.project_id end
            )
        )
    )::text as value
from membership m
cross join lateral (
    select p as passkey, p.id
    from passkey p
    where p.account_id = m.account_id and coalesce(p.project_id, m.project_id) = m.project_id
        and (
            p.opens_id is null
            or p.opens_id in (m.project_id, '00000000-0000-0000-0000-000000000000')
        )
) k
where m.project_id = :tenant_page.project and m.id >= :place
    and (m.id, k.id) > (:place, (:tenant_page.after::json ->> 'id')::uuid)
order by m.id, k.id
limit :tenant_page.most
