-- An API key can be a document's author.
alter table document drop constraint document_author_type_check;
alter table document add constraint document_author_type_known
    check (author_type in ('Patient', 'Practitioner', 'Device')) not valid;
