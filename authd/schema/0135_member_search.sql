-- Search keys of a project's people: their names and addresses, folded (common/domain/fold.h), one
-- key from each word on, so that a search compares only the beginning of a key. Names are rotated:
-- "ana maria lima", "maria lima ana", "lima ana maria". authd/member/member_search.c writes them.
create table member_search (
    project_id  uuid not null,
    key         text collate "C" not null,
    account_id  uuid not null,
    primary key (account_id, project_id, key),
    foreign key (account_id, project_id) references membership (account_id, project_id) on delete cascade
);
create index member_search_key on member_search (project_id, key, account_id);

-- Accounts whose search keys authd must write.
create table member_search_due (
    account_id  uuid primary key
);

-- Returns the keys that PostgreSQL can make; authd replaces them a second later.
create function member_search_first_keys(name text, surname text, email text) returns setof text language sql immutable as $$
select left(regexp_replace(normalize(lower(k), nfd), '[\u0300-\u036f]', '', 'g'), 400)
from unnest(array[name || ' ' || surname, surname || ' ' || name, regexp_replace(email, '[^[:alnum:]@]+', ' ', 'g')]) k
$$;

-- Gives an account its first keys in all its projects.
create function member_search_note(account uuid) returns void language sql set search_path from current as $$
insert into member_search (project_id, key, account_id)
select m.project_id, k.key, a.id
from account a
join membership m on m.account_id = a.id
cross join lateral member_search_first_keys(a.name, a.surname, a.email) k (key)
where a.id = account
on conflict do nothing;
insert into member_search_due values (account) on conflict do nothing;
$$;

create function member_search_note_member() returns trigger language plpgsql set search_path from current as $$
begin
    perform member_search_note(new.account_id);
    return null;
end
$$;
create trigger member_search_note after insert on membership
    for each row execute function member_search_note_member();

create function member_search_note_account() returns trigger language plpgsql set search_path from current as $$
begin
    perform member_search_note(new.id);
    return null;
end
$$;
create trigger member_search_note after update of name, surname, email on account
    for each row execute function member_search_note_account();

-- member_search replaces these.
drop trigger account_name_note on account;
drop function account_name_note();
drop table account_name, account_name_due;
