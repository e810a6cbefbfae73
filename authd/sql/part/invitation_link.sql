-- True if {secret_hash} is of a link of invitation {invitation}, or of a sign-up to it, that has
-- not expired at {now}. Subtracts times, see not_expired.
-- args: invitation, secret_hash, now
(
    {invitation}.secret_hash = {secret_hash} and {invitation}.expires_at - {now} > 0
    or {invitation}.sign_up_hash = {secret_hash} and {invitation}.sign_up_expires_at - {now} > 0
)
