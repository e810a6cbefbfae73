-- Orders existing members. Takes half a minute for a million members.
insert into member_order (project_id, account_id, membership_id, role, name)
select m.project_id, a.id, m.id, a.role, member_order_name(a.name, a.surname)
from account a
join membership m on m.account_id = a.id
on conflict do nothing;
