-- The look of a project's hosted pages: a JSON object of name, colours, addresses, texts and the logo's hash; and the
-- logo, a PNG that Atrium made. Null: the installation's.
alter table project
    add column branding jsonb,
    add column brand_logo bytea;
