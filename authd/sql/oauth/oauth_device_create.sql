-- Records a device's request. Writes nothing if another device has the user code.
-- class: write
-- in: project uuid, device_hash bytea, user_hash bytea, client_id text, scope text
-- in: resource text null, address text, interval_s int8, now int8, expires_at int8, keep_until int8
-- rows: none
insert into oauth_device (
    project_id, device_hash, user_hash, client_id, scope, resource, address, interval_s, created_at,
    expires_at, keep_until
)
values (
    :project, :device_hash, :user_hash, :client_id, :scope, :resource, :address, :interval_s, :now,
    :expires_at, :keep_until
)
on conflict (user_hash) do nothing
