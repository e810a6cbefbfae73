-- The provider's own session (claim sid), which a logout token can name (OpenID Connect Back-Channel
-- Logout 1.0, section 2.4). Null: the provider named none.
alter table login add column provider_sid text;
-- Also of the grants that come from it.
alter table session add column provider_sid text;
