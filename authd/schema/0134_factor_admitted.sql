-- The time until which the owner of an account that no project owns can set up a second factor in a
-- tenant's session. An operator has allowed it, because the installation has no pages.
alter table account add column factor_admitted_until bigint;
