-- Records verified addresses of email_scan_read (arrays of accounts, organizations and times), and
-- that the log is read up to `last` or, with `done`, to its end. Records nothing if another
-- instance has read these rows.
-- class: write
-- in: accounts uuid[], organizations uuid[], times int8[], first int8, last int8, done bool
-- rows: none
with
scanned as (
    update email_scan
    set sequence = :last, done = :done
    where sequence = :first and not done
    returning 1
)
insert into email_verified (account_id, organization_id, verified_at)
select a.id, f.organization, f.at
from unnest(:accounts, :organizations, :times) f (account, organization, at)
cross join lateral (select id from account where id = f.account limit 1) a
where exists (select from scanned)
on conflict do nothing
