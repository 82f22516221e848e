-- A log may have a second key, of ML-DSA-44, which signs its checkpoints and counts of outcomes beside the
-- first. Reads the few rows of logs once, under a lock that keeps sealing waiting for milliseconds.
alter table logs
  add column mldsa44_public_key bytea check (octet_length(mldsa44_public_key) = 1312),
  -- Sealed by the master key, as private_key_sealed; empty when the log has ended.
  add column mldsa44_seed_sealed bytea,
  -- What is time-stamped from then on has both signatures.
  add column mldsa44_from timestamptz(3),
  add constraint logs_mldsa44_check check (
    (mldsa44_public_key is null) = (mldsa44_seed_sealed is null)
    and (mldsa44_public_key is null) = (mldsa44_from is null));
grant select (mldsa44_public_key, mldsa44_from) on logs to acuse_request;
