-- The document time-stamp of the newest PDF of a message's evidence. Not the PDF: it is drawn again of the
-- same rows, to the same bytes, for as long as nothing in them changes. Locks nothing that there is.
create table pdf_certificates (
  tenant_id uuid not null references tenants,
  message_id uuid not null,
  -- Of all rows that the PDF was drawn of.
  facts_sha256 bytea not null check (octet_length(facts_sha256) = 32),
  -- When its outcomes were counted.
  counted_at timestamptz(3) not null,
  profile text not null check (profile in ('nom151', 'rfc3161', 'development')),
  issuer text not null,
  policy_oid text not null,
  serial_number text not null,
  gen_time timestamptz(3) not null,
  hash_algorithm text not null,
  imprint bytea not null,
  token bytea not null,
  chain bytea[] not null check (cardinality(chain) > 0),
  policy jsonb not null,
  revocation bytea[] not null default '{}',
  created_at timestamptz(3) not null,
  primary key (tenant_id, message_id)
);
grant select on pdf_certificates to acuse_request;
alter table pdf_certificates enable row level security, force row level security;
create policy worker on pdf_certificates to acuse_worker using (true) with check (true);
create policy tenant on pdf_certificates to acuse_request
  using (tenant_id = current_setting('acuse.tenant_id')::uuid)
  with check (tenant_id = current_setting('acuse.tenant_id')::uuid);
