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

create or replace function member_search_note_member() returns trigger language plpgsql set search_path from current as $$
begin
    perform member_search_note(new.account_id);
    insert into member_order (project_id, account_id, membership_id, role, name)
    select new.project_id, id, new.id, role, member_order_name(name, surname)
    from account
    where id = new.account_id
    on conflict do nothing;
    return null;
end
$$;

create or replace function member_search_note_account() returns trigger language plpgsql set search_path from current as $$
begin
    perform member_search_note(new.id);
    update member_order
    set name = member_order_name(new.name, new.surname)
    where account_id = new.id and name <> member_order_name(new.name, new.surname);
    return null;
end
$$;
