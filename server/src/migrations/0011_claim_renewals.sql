-- Who is renewing a constancia now. Locks: a brief exclusive lock on certificates.

alter table certificates
  -- Until then nobody else renews it: the lease of whoever does, or a pause after a failure.
  add column renewing_until timestamptz(3);
