-- The members of a project in the orders in which its lists are read: by role and folded name, and
-- by role and membership, whose ids are in the order of time. Triggers write it.
create table member_order (
    project_id     uuid not null,
    account_id     uuid not null,
    membership_id  uuid not null,
    role           text not null,
    name           text collate "C" not null,   -- folded family name, then given name
    primary key (account_id, project_id),
    foreign key (account_id, project_id) references membership (account_id, project_id) on delete cascade
);
create index member_order_name on member_order (project_id, role, name, account_id);
create index member_order_membership on member_order (project_id, role, membership_id);

create function member_order_name(name text, surname text) returns text language sql immutable as $$
select left(translate(regexp_replace(normalize(lower(trim(surname || ' ' || name)), nfd), '[\u0300-\u036f]', '', 'g'), 'łøđħŧı', 'lodhti'), 400)
$$;

create or replace function member_search_note(account uuid) returns void language sql set search_path from current as $$
insert into member_search (project_id, key, account_id)
select m.project_id, k.key, a.id
from account a
join membership m on m.account_id = a.id
cross join lateral member_search_first_keys(a.name, a.surname, a.email) k (key)
where a.id = account
on conflict do nothing;
insert into member_search_due values (account) on conflict do nothing;
insert into member_order (project_id, account_id, membership_id, role, name)
select m.project_id, a.id, m.id, a.role, member_order_name(a.name, a.surname)
from account a
join membership m on m.account_id = a.id
where a.id = account
on conflict do nothing;
update member_order o
set name = member_order_name(a.name, a.surname)
from account a
where a.id = account and o.account_id = a.id and o.name <> member_order_name(a.name, a.surname);
$$;
