import { MAX_BUNDLE_BYTES } from '@acuse/evidence/bundle-entries';
import { EvidenceError } from '@acuse/evidence/errors';
import { openLogEnd } from '@acuse/evidence/log-end';
import { readPinnedPolicy, type TrustPolicy } from '@acuse/evidence/policy';
import { MAX_CRL_BYTES, readCrl } from '@acuse/evidence/timestamp/crl';
import { DerError } from '@acuse/evidence/timestamp/der';
import { readOcsp } from '@acuse/evidence/timestamp/ocsp';
import type { RevocationData } from '@acuse/evidence/timestamp/revocation';
import { type Verification, verifyBundle } from '@acuse/evidence/verify';
import { sha256 } from '../platform/sha256.ts';
import { type Command, CommandError, defineCommand, EXIT, type ExitCode } from './command.ts';
import { readInput } from './files.ts';
import { verificationText } from './verification-text.ts';

/** A message of 25 MiB with what relays put in front of it. */
const EML_MAX_BYTES = 64 * 1024 * 1024;
const POLICY_MAX_BYTES = 1024 * 1024;
const LOG_ENDS_MAX_BYTES = 2 * 1024 * 1024;
/** A list as long as may be, in PEM. */
const REVOCATION_MAX_BYTES = 2 * MAX_CRL_BYTES;

const verify = defineCommand({
  name: 'verify',
  summary: 'Checks a proof bundle offline: no server, no network',
  details:
    'Says one of four verdicts first: Verified; Consistent, but nobody you trust vouches for it; Genuine, but not the whole; Do not rely on this file. Exit code 0: verified; 1: a check fails and says why; 2: the file is not a proof bundle; 4: the bundle holds, but the copy given with --eml is not what was sent or cannot be compared; 5: nothing contradicts it, but nobody you trust vouches for it, or it is not the whole. Without --trust, the log key and the authorities are those that the bundle itself names.',
  args: [{ name: 'bundle', doc: 'proof bundle, ZIP or JSON, as downloaded from the service' }],
  options: {
    eml: {
      type: 'string',
      value: '<file>',
      doc: 'message as received: compared with the sealed one, with a verdict of its own',
    },
    trust: {
      type: 'string',
      value: '<file>|bundle',
      doc: 'your own policy.json: the log keys, authorities and witnesses that you pin; or "bundle": you know whose keys the bundle names, and take them',
    },
    verbose: {
      type: 'boolean',
      doc: 'every check, every fact, and what in the file is no part of the proof; without it, only failed checks are listed',
    },
    'log-end': {
      type: 'string',
      value: '<file>',
      doc: 'what logs signed of their ends, as /log/end of a service says it: a bundle of a log that has ended is said to be, and one beyond its published end fails',
    },
    revocation: {
      type: 'string',
      multiple: true,
      value: '<file>',
      doc: "today's revocation list (CRL) or OCSP answer of an authority, DER or PEM: what stamped before a revocation stays good where its reason, or a renewal, says so",
    },
    at: {
      type: 'string',
      value: '<time>',
      doc: '"now" or an RFC 3339 time at which the certificates of the newest time-stamp must still be valid, renewals included; without it, their end is only reported',
    },
  },
  examples: [
    'acuse verify proof.zip',
    'acuse verify proof.zip --eml received.eml --trust policy.json --json',
    'acuse verify proof.zip --trust bundle --verbose',
    'acuse verify proof.zip --at now',
    'acuse verify proof.zip --log-end ended.json',
    'acuse verify proof.zip --revocation authority.crl',
  ],
  async run({ options, args, out }) {
    const bundle = readInput(args[0]!, MAX_BUNDLE_BYTES);
    const verification = await verifyBundle(bundle, {
      sha256,
      now: new Date(),
      ...(options.eml !== undefined && { eml: readInput(options.eml, EML_MAX_BYTES) }),
      ...(options.trust !== undefined && { trust: readTrust(options.trust) }),
      ...(options.at !== undefined && { at: readTime(options.at) }),
      ...(options['log-end'] !== undefined && { ends: readLogEnds(options['log-end']) }),
      ...(options.revocation !== undefined && { revocation: options.revocation.map(readRevocation) }),
    });
    if (!verification.is_bundle)
      throw new CommandError(
        EXIT.usage,
        'not_a_bundle',
        `${args[0]} is not a proof bundle: nothing was verified`,
      );
    out.answer(verification, () => verificationText(verification, { verbose: options.verbose }));
    if (options['log-end'] !== undefined && !verification.checks.some(({ name }) => name === 'log_end'))
      out.note('--log-end: no statement in it is of the log of this bundle, signed by its key.');
    return exitCodeOf(verification);
  },
});

export const verifyCommands: readonly Command[] = [verify];

function exitCodeOf({ verdict, eml }: Verification): ExitCode {
  if (verdict === 'rejected') return EXIT.failed;
  if (eml !== null && eml.verdict !== 'same' && eml.verdict !== 'parts') return EXIT.differs;
  return verdict === 'verified' ? EXIT.ok : EXIT.unproven;
}

function readTrust(given: string): TrustPolicy | 'bundle' {
  return given === 'bundle' ? given : readPolicy(given);
}

function readPolicy(path: string): TrustPolicy {
  const text = Buffer.from(readInput(path, POLICY_MAX_BYTES)).toString('utf8');
  try {
    return readPinnedPolicy(JSON.parse(text), sha256);
  } catch (cause) {
    const problem = cause instanceof EvidenceError ? cause.detail : 'it is not JSON';
    throw new CommandError(EXIT.usage, 'invalid_policy', `${path} is not a trust policy: ${problem}`, {
      cause,
    });
  }
}

/** One signed note, or the document of /log/end. */
function readLogEnds(path: string): string[] {
  const text = Buffer.from(readInput(path, LOG_ENDS_MAX_BYTES)).toString('utf8');
  try {
    const notes: unknown[] = text.trimStart().startsWith('{')
      ? JSON.parse(text).ended.map(({ note }: { note?: unknown }) => note)
      : [text];
    return notes.map((note) => {
      const [, name = ''] = String(note).split('\n', 2);
      openLogEnd(String(note), { name }, sha256);
      return String(note);
    });
  } catch (cause) {
    const problem = cause instanceof EvidenceError ? cause.detail : 'it is not what /log/end answers';
    throw new CommandError(EXIT.usage, 'invalid_log_end', `${path} is not the end of a log: ${problem}`, {
      cause,
    });
  }
}

/** What is no list that can be used is told at once: it would leave nothing to be said. */
function readRevocation(path: string): RevocationData {
  const bytes = derOf(readInput(path, REVOCATION_MAX_BYTES));
  const problems: string[] = [];
  for (const [kind, read] of [['crl', readCrl] as const, ['ocsp', readOcsp] as const])
    try {
      read(bytes);
      return { name: path, kind, bytes };
    } catch (error) {
      if (!(error instanceof DerError)) throw error;
      problems.push(`as ${kind === 'crl' ? 'a list' : 'an OCSP answer'}, ${error.detail}`);
    }
  throw new CommandError(
    EXIT.usage,
    'invalid_revocation',
    `${path} is neither a whole revocation list (CRL) nor an OCSP answer: ${problems.join('; ')}`,
  );
}

const PEM_LIST = /^-----BEGIN X509 CRL-----([A-Za-z0-9+/=\s]+)-----END X509 CRL-----\s*$/;

function derOf(bytes: Uint8Array): Uint8Array {
  const pem = PEM_LIST.exec(Buffer.from(bytes).toString('latin1'))?.[1];
  return pem === undefined ? bytes : new Uint8Array(Buffer.from(pem, 'base64'));
}

const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

function readTime(text: string): Date {
  if (text === 'now') return new Date();
  const time = new Date(text);
  if (!RFC_3339.test(text) || Number.isNaN(time.getTime()))
    throw new CommandError(
      EXIT.usage,
      'usage',
      `--at takes "now" or a time such as 2031-05-01T00:00:00Z, not "${text}"`,
    );
  return time;
}
