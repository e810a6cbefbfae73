-- Returns a page of recovery codes of a project's accounts, for another installation, after the
-- code `after` of the membership `place`. Leaves out codes hashed with a seal key, which are
-- useless there.
-- call: tenant_member_read
select row_to_json(k)::text as value
from membership m
cross join lateral (select r.* from mfa_recovery r where r.account_id = m.account_id) k
where m.project_id = :tenant_page.project and m.id >= :place
    and (m.id, k.code_hash)
    > (:place, (select r.code_hash from json_populate_record(null::mfa_recovery, :tenant_page.after::json) r))
order by m.id, k.code_hash
limit :tenant_page.most
