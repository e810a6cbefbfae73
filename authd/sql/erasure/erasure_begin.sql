-- Records the rows to be deleted with a locked account, and the requests to come: `requests` to
-- docd, `others` to each other daemon. resets: already deleted links to set a password.
-- class: tx
-- in: account uuid, requests int8, daemons text[], others int8, resets int8, now int8
-- rows: none
with
begun as (
    insert into erasure (account_id, deleted_at, requests) values (:account, :now, :requests)
),
asked as (
    insert into erasure_request (account_id, daemon, requests)
    select :account, daemon, :others from unnest(:daemons) as d (daemon)
),
unlinked as (
    delete from identity where account_id = :account
),
counted as (
    select 'account' as table_name, count(*) as rows from account where id = :account
    union all
    select 'account_address_key', count(*) from account_address_key where account_id = :account
    union all
    select 'member_search', count(*) from member_search where account_id = :account
    union all
    select 'member_order', count(*) from member_order where account_id = :account
    union all
    select 'credential', count(*) from credential where account_id = :account
    union all
    select 'email_link', count(*) from email_link where account_id = :account
    union all
    select 'email_undo', count(*) from email_undo where account_id = :account
    union all
    select 'email_verified', count(*) from email_verified where account_id = :account
    union all
    select 'identity', count(*) from identity where account_id = :account
    union all
    select 'last_sign_in', count(*) from last_sign_in where account_id = :account
    union all
    select 'login', count(*) from login where account_id = :account
    union all
    select 'mail_code', count(*) from mail_code where account_id = :account
    union all
    select 'membership', count(*) from membership where account_id = :account
    union all
    select 'mfa_factor', count(*) from mfa_factor where account_id = :account
    union all
    select 'mfa_pending', count(*) from mfa_pending where account_id = :account
    union all
    select 'mfa_recovery', count(*) from mfa_recovery where account_id = :account
    union all
    select 'oauth_code', count(*) from oauth_code where account_id = :account
    union all
    select 'oauth_consent', count(*) from oauth_consent where account_id = :account
    union all
    select 'oauth_consent_resource', count(*)
    from oauth_consent c
    join oauth_consent_resource r
        on r.project_id = c.project_id and r.account_id = c.account_id and r.client_id = c.client_id
    where c.account_id = :account
    union all
    select 'oauth_grant', count(*)
    from session s
    join oauth_grant g on g.project_id = s.project_id and g.session_id = s.id
    where s.account_id = :account
    union all
    select 'passkey', count(*) from passkey where account_id = :account
    union all
    select 'passkey_ceremony', count(*) from passkey_ceremony where account_id = :account
    union all
    select 'password_reset', :resets + count(*) from password_reset where account_id = :account
    union all
    select 'session', count(*) from session where account_id = :account
    union all
    select 'smart_launch', count(*) from smart_launch where account_id = :account
)
insert into erasure_table (account_id, table_name, rows)
select :account, table_name, rows from counted where rows > 0
