-- Folded names for searches (common/domain/fold.h), rotated so that each word begins a row: "ana
-- maria lima", "maria lima ana", "lima ana maria". 0135_member_search.sql replaces them.
-- project_id is the account's, null for practitioners.
create table account_name (
    project_id  uuid,
    key         text collate "C" not null,
    account_id  uuid not null references account on delete cascade,
    primary key (account_id, key)
);
create index account_name_search on account_name (project_id, key, account_id);

-- Accounts whose names authd folds next. A trigger adds them for any new account, even of the
-- previous release's instances. In the second before authd's turn, searches find them by the
-- trigger's rows, without accents. authd also takes deleted accounts off the list.
create table account_name_due (
    account_id  uuid primary key
);

create function account_name_note() returns trigger language plpgsql set search_path from current as $$
begin
    insert into account_name (project_id, key, account_id)
    select new.project_id, left(regexp_replace(normalize(lower(name), nfd), '[\u0300-\u036f]', '', 'g'), 400), new.id
    from unnest(array[new.name || ' ' || new.surname, new.surname || ' ' || new.name]) name
    on conflict do nothing;
    insert into account_name_due values (new.id) on conflict do nothing;
    return null;
end
$$;
create trigger account_name_note after insert or update of name, surname on account
    for each row execute function account_name_note();
