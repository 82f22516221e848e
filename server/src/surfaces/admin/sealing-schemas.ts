import { Type } from 'typebox';
import { count, Hash, Id, named, nullable, Timestamp } from '../../platform/http/api-schema.ts';

/** Sealing as the admin console shows it, which is as `acuse sealing status --json` does. */

const words = Type.String({ examples: ['504 Gateway Timeout'] });

const LogStopSchema = named('LogStop', {
  at: Timestamp,
  witness: Type.String({ description: 'Name of its key.', examples: ['witness.example/w1'] }),
  witness_note: Type.String({ description: "The checkpoint that it has, signed by this log's key." }),
  own_note: nullable(
    Type.String(),
    'The checkpoint of this database that was held against it, and does not lead to it.',
  ),
});

const LogKey = named('LogKey', {
  algorithm: Type.Enum(['Ed25519', 'ML-DSA-44']),
  id: Type.String({
    description: 'The id of the key, which its signatures begin with.',
    examples: ['033de0ae'],
  }),
  key: Type.String({
    description: 'The verifier key in one line, as `/log/key` has it.',
    examples: ['sandbox.test/log+033de0ae+Ac84ZTgF2qIRx2ZTmvHkrRTmRL+2sZfaT8nNuTcTRf4u'],
  }),
  from: nullable(
    Timestamp,
    'Since when what is time-stamped must have its signature; null: since the log began.',
  ),
});

export const LogStatus = named('LogStatus', {
  origin: Type.String({ examples: ['log.example.com'] }),
  keys: Type.Array(LogKey, { description: 'Every key that it signs with.' }),
  leaves: count('Leaves in the log.'),
  ended_at: nullable(Timestamp, 'When the log ended (acuse log end), and another one went on.'),
  stop: nullable(LogStopSchema, 'Why nothing more is signed.'),
  pending_leaves: count('Leaves that no checkpoint covers yet, counted up to 10,000.'),
  unsealed_leaves: count(
    'Of a log that has ended: leaves that waited for it and are never sealed, counted up to 10,000.',
  ),
  unstamped: count('Checkpoints that have no constancia yet, counted up to 10,000.'),
  oldest_unstamped_at: nullable(Timestamp),
  attempts: nullable(count('How often a constancia for the oldest of them was asked for.')),
  next_attempt_at: nullable(Timestamp),
  last_error: nullable(words),
});

export const AuthorityStatus = named('AuthorityStatus', {
  name: Type.String({ examples: ['PSC X'] }),
  failures: count('Failures in a row; 0: its last answer held.'),
  paused_until: nullable(Timestamp, 'Not asked until then, because it failed repeatedly.'),
  last_error: nullable(words),
  failed_at: nullable(Timestamp),
  sealed_at: nullable(Timestamp),
  chain_not_after: nullable(Timestamp, 'When the first certificate of its chain ends.'),
  ends_soon: Type.Boolean(),
});

const SealingCost = named('SealingCost', {
  tenant_id: Id,
  kind: Type.Enum(['batch', 'message', 'renewal']),
  authority: Type.String({ examples: ['PSC X'] }),
  items: count('For batches their leaves, else the number of constancias.'),
  cost_cents: Type.Number({ examples: [71.5] }),
});

export const SealingCosts = named('SealingCosts', {
  month: Type.String({ description: 'UTC month.', examples: ['2026-11'] }),
  currency: Type.String({ description: 'ACUSE_CURRENCY.', examples: ['MXN'] }),
  items: Type.Array(SealingCost),
});

export const SealingSchema = named('SealingStatus', {
  development: Type.Boolean({
    description: 'No authority is configured: the constancias prove nothing in court.',
  }),
  logs: Type.Array(LogStatus),
  authorities: Type.Array(AuthorityStatus),
  constancias: named('ConstanciaStatus', {
    count: count('Constancias over batches, counted up to 100,000.'),
    renewals: count('Renewals made, counted up to 100,000.'),
    first_end: nullable(Timestamp, 'When the first chain that a constancia rests on ends.'),
    due: count('Constancias that are to be renewed, counted up to 100,000.'),
    lapsed: count('Constancias whose chain ended before they were renewed, counted up to 100,000.'),
  }),
  costs: SealingCosts,
});

const BatchCertificate = named('BatchCertificate', {
  id: Id,
  profile: Type.Enum(['nom151', 'rfc3161', 'development']),
  issuer: Type.String({ examples: ['PSC X'] }),
  gen_time: Timestamp,
  covered_until: nullable(Timestamp, 'When its chain ends, renewals included.'),
});

export const BatchSchema = named('Batch', {
  id: Id,
  origin: Type.String({ examples: ['log.example.com'] }),
  leaves: count('Leaves that this batch added.'),
  tree_size: count('Leaves of the log with this batch.'),
  root_hash: Hash,
  created_at: Timestamp,
  certificate: nullable(BatchCertificate, 'null: it waits for a constancia.'),
  cosignatures: count('Witnesses that cosigned its checkpoint.'),
});

const WitnessSchema = named('WitnessStatus', {
  origin: Type.String({ examples: ['log.example.com'] }),
  name: Type.String({ description: 'Name of its key.', examples: ['witness.example/w1'] }),
  key: Type.String({ description: 'Its verifier key.' }),
  url: nullable(Type.String(), 'null: it is no longer configured.'),
  tree_size: count('Size of the checkpoint that it cosigned last.'),
  failures: count('Failures in a row.'),
  last_error: nullable(words),
  next_attempt_at: Timestamp,
  cosigned_at: nullable(Timestamp),
});

export const WitnessList = named('WitnessList', {
  quorum: count('How many of their operators a checkpoint should have.'),
  data: Type.Array(WitnessSchema),
});

export const RenewalSchema = named('Renewal', {
  renewed: count('Constancias renewed now.'),
  postponed: count('Not renewed now; tried again later.'),
  reasons: Type.Array(Type.String()),
  more: Type.Boolean({ description: 'More are due: call again.' }),
});

const CheckProblem = named('CheckProblem', {
  check: Type.String({ description: 'Rule that is broken.', examples: ['leaf_hash'] }),
  subject: Type.String({ examples: ['log.example.com leaf 12'] }),
  detail: Type.String(),
});

const CHECKED = ['logs', 'leaves', 'messages', 'outcomes', 'erased', 'archived', 'tiles', 'checkpoints'];

export const CheckSchema = named('EvidenceCheck', {
  id: Id,
  status: Type.Enum(['running', 'clean', 'problems', 'failed', 'interrupted'], {
    description: 'interrupted: its process ended before the check did; nothing was changed.',
  }),
  started_by: Type.String({ examples: ['Ana <ana@example.com>'] }),
  started_at: Timestamp,
  finished_at: nullable(Timestamp),
  phase: nullable(Type.Enum(['log', 'tenants'])),
  done: count('Leaves, or accounts, done in this phase.'),
  total: count('Leaves, or accounts, of this phase.'),
  checked: nullable(
    named(
      'CheckedCounts',
      Object.fromEntries(
        [...CHECKED, 'certificates', 'tenants'].map((name) => [name, count(`Number of ${name}.`)]),
      ),
    ),
  ),
  problems: Type.Array(CheckProblem, { description: 'The first thousand.' }),
  problem_count: nullable(Type.Integer({ minimum: 0, description: 'null while it runs.' })),
  error: nullable(Type.String()),
});
