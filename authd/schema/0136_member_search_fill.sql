-- Makes search keys for existing members. Takes a minute for a million members.
insert into member_search (project_id, key, account_id)
select m.project_id, k.key, a.id
from account a
join membership m on m.account_id = a.id
cross join lateral member_search_first_keys(a.name, a.surname, a.email) k (key)
on conflict do nothing;
insert into member_search_due select id from account on conflict do nothing;
