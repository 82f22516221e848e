-- What an authority issued beside a token, such as a PDF: as it came, for people. Whatever the token stamps,
-- the document is found by its hash. Locks nothing that there is.
create table issued_documents (
  token_sha256 bytea primary key check (octet_length(token_sha256) = 32),
  -- At most what a bundle's entry may have.
  content bytea not null check (octet_length(content) <= 2097152),
  created_at timestamptz(3) not null
);
alter table issued_documents alter column content set storage external;
grant select on issued_documents to acuse_request;
