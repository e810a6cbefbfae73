-- Makes search keys for existing members. Takes a minute for a million members.
insert into member_search (project_id, key, account_id)
select m.project_id, left(regexp_replace(normalize(lower(k.key), nfd), '[\u0300-\u036f]', '', 'g'), 400), a.id
from account a
join membership m on m.account_id = a.id
cross join lateral unnest(array[
    a.name || ' ' || a.surname,
    a.surname || ' ' || a.name,
    regexp_replace(a.email, '[^[:alnum:]@]+', ' ', 'g')
]) k (key)
on conflict do nothing;
insert into member_search_due select id from account on conflict do nothing;
