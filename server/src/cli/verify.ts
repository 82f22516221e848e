import { MAX_BUNDLE_BYTES } from '@acuse/evidence/bundle-entries';
import { EvidenceError } from '@acuse/evidence/errors';
import { readTrustPolicy, type TrustPolicy } from '@acuse/evidence/policy';
import { type Verification, verifyBundle } from '@acuse/evidence/verify';
import { sha256 } from '../platform/sha256.ts';
import { type Command, CommandError, defineCommand, EXIT } from './command.ts';
import { readInput } from './files.ts';
import { facts } from './output.ts';

/** A message of 25 MiB with what relays put in front of it. */
const EML_MAX_BYTES = 64 * 1024 * 1024;
const POLICY_MAX_BYTES = 1024 * 1024;

const verify = defineCommand({
  name: 'verify',
  summary: 'Checks a proof bundle offline: no server, no network',
  details:
    'Exit code 0: every check holds; 1: one fails, and says why. Without --trust the log key and the authorities are those that the bundle itself names, and the report says so.',
  args: [
    { name: 'bundle', doc: 'proof bundle, ZIP or JSON, as GET /v1/messages/{id}/proof-bundle gives it' },
  ],
  options: {
    eml: {
      type: 'string',
      value: '<file>',
      doc: 'message as it was received: compared with the sealed one, layer by layer',
    },
    trust: {
      type: 'string',
      value: '<file>',
      doc: 'policy.json of your own: log keys, authorities, witnesses that you pin',
    },
    at: {
      type: 'string',
      value: '<time>',
      doc: '"now", or an RFC 3339 time: the certificates of the newest time-stamp must not have ended then, renewals counted in; without it their end is only told',
    },
  },
  examples: [
    'acuse verify proof.zip',
    'acuse verify proof.zip --eml received.eml --trust policy.json --json',
    'acuse verify proof.zip --at now',
  ],
  async run({ options, args, out }) {
    const bundle = readInput(args[0]!, MAX_BUNDLE_BYTES);
    const verification = await verifyBundle(bundle, {
      sha256,
      ...(options.eml !== undefined && { eml: readInput(options.eml, EML_MAX_BYTES) }),
      ...(options.trust !== undefined && { trust: readPolicy(options.trust) }),
      ...(options.at !== undefined && { at: readTime(options.at) }),
    });
    out.answer(verification, () => verificationText(verification));
    return verification.valid ? EXIT.ok : EXIT.failed;
  },
});

export const verifyCommands: readonly Command[] = [verify];

function readPolicy(path: string): TrustPolicy {
  const text = Buffer.from(readInput(path, POLICY_MAX_BYTES)).toString('utf8');
  try {
    return readTrustPolicy(JSON.parse(text), sha256);
  } catch (cause) {
    const problem = cause instanceof EvidenceError ? cause.detail : 'it is not JSON';
    throw new CommandError(EXIT.usage, 'invalid_policy', `${path} is no trust policy: ${problem}`, { cause });
  }
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

/** The report for people: each check on a line, then the facts, then the verdict. */
export function verificationText(verification: Verification): string {
  const { checks, facts: found, valid } = verification;
  const width = Math.max(...checks.map((check) => check.name.length));
  const lines = checks.map((check) => `${check.ok ? '✓' : '✗'} ${check.name.padEnd(width)}  ${check.detail}`);
  const { delivery, ...plain } = found;
  const pairs = Object.entries(plain).map(([name, value]) => [name, value as string | number] as const);
  if (pairs.length > 0) lines.push('', facts(pairs));
  for (const outcome of delivery ?? []) lines.push(`delivery  ${JSON.stringify(outcome)}`);
  if (found.content === 'erased')
    lines.push(
      '',
      'The content was erased by the operator, and with it the salts: message, request, addresses and what servers answered can be',
      'shown no more. That this manifest was sealed, when, and what became of it holds without them.',
    );
  if (found.profile === 'development')
    lines.push('', 'The time-stamp is of a development authority: not a NOM-151 constancia.');
  if (found.covered_until !== undefined && Date.parse(found.covered_until) < Date.now())
    lines.push(
      '',
      `The certificates of its newest time-stamp ended at ${found.covered_until}: ask for a bundle that was renewed before.`,
    );
  lines.push('', valid ? 'verified' : 'INVALID');
  return lines.join('\n');
}
