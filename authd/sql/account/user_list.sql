-- Returns a page of active accounts by address and id, after the previous page (empty address: from
-- the start). Addresses are from `from` on and before `end`.
-- class: read
-- in: after_email text, after uuid null, from_email text, end_email text, count int8, now int8
-- rows: many
-- row: struct user
select
    -- include: user_columns(now = :now)
from account a
where
    -- include: user_page(email = :after_email, id = :after, from = :from_email, end = :end_email)
    and
    -- include: account_active(account = a, now = :now)
order by a.email collate "C", a.id
limit :count
