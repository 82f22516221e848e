import { readBundle } from '@acuse/evidence/bundle';
import { looksLikeCase, MAX_CASE_BYTES, readCase } from '@acuse/evidence/case-file';
import { EvidenceError } from '@acuse/evidence/errors';
import { openLogEnd } from '@acuse/evidence/log-end';
import { readPinnedPolicy, type TrustPolicy } from '@acuse/evidence/policy';
import { MAX_CRL_BYTES, readCrl } from '@acuse/evidence/timestamp/crl';
import { DerError } from '@acuse/evidence/timestamp/der';
import { readOcsp } from '@acuse/evidence/timestamp/ocsp';
import type { RevocationData } from '@acuse/evidence/timestamp/revocation';
import {
  type UnprovenDocument,
  type Verification,
  type VerifyOptions,
  verifyBundle,
} from '@acuse/evidence/verify';
import { ed25519 } from '../platform/ed25519.ts';
import { sha256 } from '../platform/sha256.ts';
import { type Command, CommandError, defineCommand, EXIT, type ExitCode, usage } from './command.ts';
import { readInput } from './files.ts';
import { bundleOfPdf, isPdf } from './pdf-bundle.ts';
import { verificationText } from './verification-text.ts';
import { askAgain, missingOf } from './verify-ask.ts';
import {
  compareFiles,
  togetherText,
  togetherValue,
  type VerifiedFile,
  writeContradictions,
} from './verify-together.ts';

/** A message of 25 MiB with the fields that relays add. */
const EML_MAX_BYTES = 64 * 1024 * 1024;
const POLICY_MAX_BYTES = 1024 * 1024;
const NOTE_MAX_BYTES = 512 * 1024;
const LOG_ENDS_MAX_BYTES = 2 * 1024 * 1024;
/** A list as long as may be, in PEM. */
const REVOCATION_MAX_BYTES = 2 * MAX_CRL_BYTES;

const verify = defineCommand({
  name: 'verify',
  summary: 'Checks a proof bundle offline: no server, no network',
  details:
    'Says one of four verdicts first: Verified; Consistent, but nobody you trust vouches for it; Genuine, but not the whole; Do not rely on this file. Exit code 0: verified; 1: a check fails and says why; 2: the file is not a proof bundle; 4: the bundle holds, but the copy given with --eml is not what was sent or cannot be compared; 5: nothing contradicts it, but nobody you trust vouches for it, or it is incomplete. Without --trust, the log key and the authorities are those that the bundle itself names. Several bundles, or --against: each is verified, and everything that one log signed in them is compared (two trees of one size, a tree that is not the beginning of a later one, counts of outcomes that contradict). Exit code then 1 if two of them cannot both be true, else that of the worst file; with --archive, that of the worst bundle.',
  args: [
    {
      name: 'bundle',
      doc: 'proof bundle, ZIP or JSON, or case file, as downloaded from the service; several are compared with each other',
      several: true,
      optional: true,
    },
  ],
  options: {
    archive: {
      type: 'string',
      value: '<folder>|<s3://…>',
      doc: 'in place of bundles: an archive of acuse archive create, every bundle in it, without its database; --trust, --at, --log-end and --revocation apply',
    },
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
    against: {
      type: 'string',
      value: '<file>',
      doc: 'another bundle, of the same log: as if it were given as well; repeatable',
      multiple: true,
    },
    ask: {
      type: 'string',
      value: '<url>',
      doc: 'URL prefix of the log, such as https://mail.example/log: asks it how many outcomes it counts today; only the hash of the manifest is sent. Exit code 1 if the answer contradicts the file, 5 if there are more than it shows, 3 if the log cannot be reached',
    },
    promise: {
      type: 'string',
      value: '<file>',
      doc: 'promise that the log gave (signed note), to be compared with the bundles; repeatable',
      multiple: true,
    },
    notes: {
      type: 'string',
      value: '<folder>',
      doc: 'where the two notes of each contradiction are written, with how anybody checks them without this program',
    },
    verbose: {
      type: 'boolean',
      doc: 'every check, every fact, and what in the file is not part of the proof; without it, only failed checks are listed',
    },
    'log-end': {
      type: 'string',
      value: '<file>',
      doc: 'statements in which logs signed their ends, as /log/end of a service serves them: a bundle of an ended log is marked so, and one beyond the published end fails',
    },
    revocation: {
      type: 'string',
      multiple: true,
      value: '<file>',
      doc: "today's revocation list (CRL) or OCSP answer of an authority, DER or PEM: a stamp made before a revocation stays valid where its reason, or a renewal, says so",
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
    'acuse verify proof.zip --ask https://mail.example/log',
    'acuse verify proof.zip --against theirs.zip --notes contradiction',
    'acuse verify --archive archive/2025-03 --trust policy.json',
  ],
  async run({ options, args, out, env }) {
    const names = [...args, ...options.against];
    assertOneKind(options, names);
    const trust = options.trust === undefined ? undefined : readTrust(options.trust);
    if (names.length > 1 && options.eml !== undefined)
      throw usage('--eml is compared with one bundle: give no other');
    const given: VerifyOptions = {
      sha256,
      ed25519,
      now: new Date(),
      ...(options.eml !== undefined && { eml: readInput(options.eml, EML_MAX_BYTES) }),
      ...(trust !== undefined && { trust }),
      ...(options.at !== undefined && { at: readTime(options.at) }),
      ...(options['log-end'] !== undefined && { ends: readLogEnds(options['log-end']) }),
      ...(options.revocation !== undefined && { revocation: options.revocation.map(readRevocation) }),
    };
    if (options.archive !== undefined) {
      // Loaded for archives alone: it brings the database and S3 with it.
      const { verifyArchiveAt } = await import('./verify-archive.ts');
      return verifyArchiveAt(options.archive, given, { out, env });
    }
    const files: VerifiedFile[] = [];
    for (const file of names) files.push(...(await verifyFile(file, given, options.ask)));
    for (const { file, verification } of files)
      if (verification.documents.includes(PAGES)) out.note(`${file}: ${PAGES.name} ${PAGES.detail}.`);
    if (files.length > 1 || options.promise.length > 0 || options.ask !== undefined) {
      const promises = options.promise.map((file) => ({ file, note: textOf(file, NOTE_MAX_BYTES) }));
      const comparison = await compareFiles(files, promises, trust === 'bundle' ? undefined : trust);
      const { notes } = options;
      const folders = notes === undefined ? null : writeContradictions(comparison, notes);
      out.answer(togetherValue(files, comparison), () => togetherText(files, comparison, folders));
      return comparison.contradictions.length > 0 ? EXIT.failed : worstOf(files);
    }
    const [{ verification }] = files as [VerifiedFile];
    out.answer(verification, () => verificationText(verification, { verbose: options.verbose }));
    if (options['log-end'] !== undefined && !verification.checks.some(({ name }) => name === 'log_end'))
      out.note('--log-end: no statement in it is of the log of this bundle, signed by its key.');
    return exitCodeOf(verification);
  },
});

function assertOneKind(
  {
    archive,
    eml,
    ask,
    promise,
    notes,
  }: Record<'archive' | 'eml' | 'ask' | 'notes', string | undefined> & { promise: readonly string[] },
  names: readonly string[],
): void {
  if (archive === undefined && names.length === 0)
    throw usage('missing <bundle>, or --archive; see acuse verify --help');
  const others = [eml, ask, notes, ...promise, ...names].some((given) => given !== undefined);
  if (archive !== undefined && others)
    throw usage('--archive is verified alone, without bundles, --eml, --ask, --promise and --notes');
}

const PAGES: UnprovenDocument = {
  name: 'the PDF',
  remade: null,
  detail:
    'has pages and a time-stamp of its own, which were not compared with the bundle attached to it. Where they differ, believe the bundle, which was verified',
};

async function verifyFile(
  file: string,
  options: VerifyOptions,
  url: string | undefined,
): Promise<VerifiedFile[]> {
  const given = readInput(file, MAX_CASE_BYTES);
  if (looksLikeCase(given)) {
    const bundles = bundlesOf(file, given);
    if (options.eml !== undefined) throw usage('--eml is compared with one bundle: unpack the case file');
    const verified: VerifiedFile[] = [];
    for (const { name, bytes } of bundles)
      verified.push(await verifyOne({ file: `${file}/${name}`, bytes, inPdf: false }, options, url));
    return verified;
  }
  const inPdf = isPdf(given);
  return [await verifyOne({ file, bytes: inPdf ? bundleOfPdf(file, given) : given, inPdf }, options, url)];
}

function bundlesOf(file: string, given: Uint8Array) {
  try {
    return readCase(given, sha256);
  } catch (cause) {
    if (!(cause instanceof EvidenceError)) throw cause;
    const text = `${file} is a case file that was changed or cut off: ${cause.detail}`;
    throw new CommandError(EXIT.failed, 'bad_case_file', text, { cause });
  }
}

async function verifyOne(
  { file, bytes, inPdf }: { file: string; bytes: Uint8Array; inPdf: boolean },
  options: VerifyOptions,
  url: string | undefined,
): Promise<VerifiedFile> {
  const verification = await verifyBundle(bytes, options);
  if (!verification.is_bundle)
    throw new CommandError(EXIT.usage, 'not_a_bundle', `${file} is not a proof bundle: nothing was verified`);
  if (inPdf) verification.documents.push(PAGES);
  if (url === undefined || verification.verdict === 'rejected') return { file, bytes, verification };
  const { trust } = options;
  const pinned = trust === 'bundle' ? undefined : trust;
  const asked = await askAgain(url, readBundle(bytes), verification, pinned);
  return { file, bytes, verification, asked };
}

function worstOf(files: readonly VerifiedFile[]): ExitCode {
  const codes = files.map(({ verification, asked }) => {
    const code = exitCodeOf(verification);
    return code === EXIT.ok && asked !== undefined && missingOf(asked) > 0 ? EXIT.unproven : code;
  });
  return codes.find((code) => code === EXIT.failed) ?? codes.find((code) => code !== EXIT.ok) ?? EXIT.ok;
}

export const verifyCommands: readonly Command[] = [verify];

function exitCodeOf({ verdict, eml }: Verification): ExitCode {
  if (verdict === 'rejected') return EXIT.failed;
  if (eml !== null && eml.verdict !== 'same' && eml.verdict !== 'parts') return EXIT.differs;
  return verdict === 'verified' ? EXIT.ok : EXIT.unproven;
}

const textOf = (path: string, maxBytes: number) => Buffer.from(readInput(path, maxBytes)).toString('utf8');

function readTrust(given: string): TrustPolicy | 'bundle' {
  return given === 'bundle' ? given : readPolicy(given);
}

function readPolicy(path: string): TrustPolicy {
  const text = textOf(path, POLICY_MAX_BYTES);
  try {
    return readPinnedPolicy(JSON.parse(text), sha256);
  } catch (cause) {
    const problem = cause instanceof EvidenceError ? cause.detail : 'it is not JSON';
    throw new CommandError(EXIT.usage, 'invalid_policy', `${path} is not a trust policy: ${problem}`, {
      cause,
    });
  }
}

function readLogEnds(path: string): string[] {
  const text = textOf(path, LOG_ENDS_MAX_BYTES);
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

/** An unusable list is refused at once. */
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
    throw usage(`--at takes "now" or a time such as 2031-05-01T00:00:00Z, not "${text}"`);
  return time;
}
