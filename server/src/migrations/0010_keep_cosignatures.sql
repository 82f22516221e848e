-- What witnesses signed: that they saw a checkpoint which continues all that they saw before (C2SP
-- tlog-witness). Locks: none on what is there.

create table cosignatures (
  log_id uuid not null,
  tree_size bigint not null,
  -- The witness's verifier key, as one line (C2SP signed-note).
  witness_key text collate "C" not null,
  -- The signature line with its newline, verified: it is served under the checkpoint as it stands.
  line text not null check (line like '— %' and right(line, 1) = E'\n' and strpos(line,
    E'\n') = length(line)),
  -- When the witness looked, by its own clock.
  witnessed_at timestamptz(3) not null,
  primary key (log_id, tree_size, witness_key),
  foreign key (log_id, tree_size) references checkpoints
);

-- How far each witness has come with a log, and whose turn it is to ask it.
create table witnesses (
  log_id uuid not null references logs,
  witness_key text collate "C" not null,
  -- The checkpoint that it cosigned last, as far as we know; 0: none.
  tree_size bigint not null default 0 check (tree_size >= 0),
  due_at timestamptz(3) not null,
  -- Requests begun; every write-back is fenced by it.
  attempt bigint not null default 0,
  -- Since its last cosignature.
  failures integer not null default 0 check (failures >= 0),
  last_error text,
  cosigned_at timestamptz(3),
  primary key (log_id, witness_key)
);

grant select on cosignatures, witnesses to acuse_request;
