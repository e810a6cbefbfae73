-- Until when the owner of an account that no session owns may set up a second factor in a tenant's session: an operator has
-- admitted it, where the installation has no pages for that.
alter table account add column factor_admitted_until bigint;
