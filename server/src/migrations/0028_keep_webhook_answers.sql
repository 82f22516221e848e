-- What receivers of webhooks answered, so that the people who run them can see why a delivery failed.
-- Locks: a brief exclusive lock on webhook_attempts; no row is written anew.

alter table webhook_attempts
  -- Header fields by name; bounded where they are read (answer-excerpt.ts). Both are null where no answer
  -- came, and after the message was erased.
  add column response_headers jsonb,
  add column response_excerpt text check (length(response_excerpt) <= 4096);
