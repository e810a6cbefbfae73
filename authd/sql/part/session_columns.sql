-- The columns of struct session_record, of session s.
s.id,
s.last_updated as "lastUpdated",
s.auth_method as "authMethod",
s.remote_address as "remoteAddress",
s.browser,
s.os
