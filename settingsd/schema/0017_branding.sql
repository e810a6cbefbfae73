-- How the hosted pages of a project look: a JSON object of name, colours, addresses and texts, with the
-- hash of its logo; and the logo, a PNG that was made here. Null: as the installation's.
alter table project
    add column branding jsonb,
    add column brand_logo bytea;
