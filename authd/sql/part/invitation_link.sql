-- {secret_hash} is that of the link of invitation {invitation}, or of the link of a sign-up to it,
-- which has not expired at {now}. Times are subtracted as in the part not_expired.
-- args: invitation, secret_hash, now
(
    {invitation}.secret_hash = {secret_hash} and {invitation}.expires_at - {now} > 0
    or {invitation}.sign_up_hash = {secret_hash} and {invitation}.sign_up_expires_at - {now} > 0
)
