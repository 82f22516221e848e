/** Compares our reading of a labelled set of bounces with its labels. */
import { SUPPRESSING_CODES } from '../reply/enhanced-codes.ts';
import { type BounceType, bounceTypeOf, type Reason } from '../reply/reasons.ts';
import { classifyReport } from './classify-report.ts';
import { readReturnedMail } from './read-report.ts';

/** One recipient's label, in the words of the set. */
export interface Label {
  readonly status: string;
  readonly reply_code: string;
  readonly reason: string;
  readonly hard: boolean;
  readonly feedback: string | null;
}

export interface LabelledFile {
  readonly file: string;
  readonly recipients: readonly Label[];
}

/** Our reading of one recipient; `type` adds to our bounce types what is not a bounce. */
export interface Reading {
  readonly type: BounceType | 'deferred' | 'sent' | 'complaint' | 'auto-reply' | 'unrecognized';
  readonly reason: Reason | null;
  readonly suppress: boolean;
  /** From the report; empty if it gives none. */
  readonly status: string;
  readonly diagnostic: string;
}

/** The labels' reasons in our types. `feedback`, `vacation` and `delivered` are not bounces. */
const TYPE_OF_LABEL: Readonly<Record<string, readonly Reading['type'][]>> = {
  userunknown: ['hard'],
  hostunknown: ['hard'],
  hasmoved: ['hard'],
  notaccept: ['hard'],
  filtered: ['soft'],
  // A closed mailbox is hard with us where the status says so (5.2.1), soft where only words do.
  suspend: ['hard', 'soft'],
  mailboxfull: ['soft'],
  mesgtoobig: ['soft'],
  exceedlimit: ['soft'],
  emailtoolarge: ['soft'],
  contenterror: ['soft'],
  syntaxerror: ['soft'],
  systemerror: ['soft'],
  systemfull: ['soft'],
  mailererror: ['soft'],
  // A network that failed to the end of the queue's patience is, with us, time that ran out.
  networkerror: ['soft', 'expired'],
  onhold: ['soft'],
  undefined: ['soft'],
  failedstarttls: ['soft'],
  expired: ['expired'],
  authfailure: ['policy'],
  badreputation: ['policy'],
  blocked: ['policy'],
  norelaying: ['policy'],
  notcompliantrfc: ['policy'],
  policyviolation: ['policy'],
  ratelimited: ['soft'],
  rejected: ['policy'],
  requireptr: ['policy'],
  securityerror: ['policy'],
  spamdetected: ['policy'],
  speeding: ['soft'],
  toomanyconn: ['soft'],
  virusdetected: ['policy'],
  delivered: ['sent'],
  feedback: ['complaint'],
  vacation: ['auto-reply'],
};

/**
 * One recipient compared. `dispute` says why we hold the label to be wrong where we differ; null: we may be.
 */
export interface Comparison {
  readonly file: string;
  readonly label: Label;
  readonly reading: Reading;
  readonly hardAgrees: boolean;
  readonly typeAgrees: boolean;
  readonly dispute: string | null;
}

export interface Agreement {
  readonly recipients: number;
  readonly hardAgrees: number;
  readonly typeAgrees: number;
  /** The comparisons that differ. */
  readonly differences: readonly Comparison[];
}

const MISSING: Reading = {
  type: 'unrecognized',
  reason: null,
  suppress: false,
  status: '',
  diagnostic: 'no recipient read',
};

/** Reads a file, one message or an mbox of several, into as many readings as it has recipients. */
export function readingsOf(bytes: Uint8Array): Reading[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  if (!text.startsWith('From ')) return readingsOfMessage(bytes);
  const messages = text.split(/^(?=From \S+ .*\d\d:\d\d)/m);
  return messages.flatMap((message) => readingsOfMessage(Buffer.from(message, 'latin1')));
}

function readingsOfMessage(bytes: Uint8Array): Reading[] {
  const mail = readReturnedMail(bytes);
  if (mail.kind === 'complaint') {
    const count = Math.max(1, mail.complaint.recipients.length);
    return Array.from({ length: count }, () => ({
      ...MISSING,
      type: 'complaint',
      diagnostic: mail.complaint.feedbackType,
    }));
  }
  if (mail.kind === 'auto-reply') return [{ ...MISSING, type: 'auto-reply', diagnostic: mail.sign }];
  if (mail.kind === 'receipt')
    return [{ ...MISSING, type: 'auto-reply', diagnostic: mail.receipt.disposition }];
  if (mail.kind === 'unrecognized') return [];
  return mail.report.recipients.map((recipient) => {
    const { outcome, bounceType, reason, suppress, diagnostic } = classifyReport(recipient);
    const type = outcome === 'bounced' ? bounceType! : outcome;
    return { type, reason, suppress, status: recipient.status ?? '', diagnostic };
  });
}

/** Compares one file; a recipient that we did not find counts as a difference. */
export function compare(labelled: LabelledFile, bytes: Uint8Array): Comparison[] {
  const readings = readingsOf(bytes);
  return labelled.recipients.map((label, i) => {
    const reading = readings[i] ?? MISSING;
    const hardAgrees = (reading.type === 'hard') === label.hard && reading !== MISSING;
    const typeAgrees = agrees(label, reading);
    const dispute = hardAgrees && typeAgrees ? null : disputed(label, reading);
    return { file: labelled.file, label, reading, hardAgrees, typeAgrees, dispute };
  });
}

function agrees(label: Label, reading: Reading): boolean {
  const expected = TYPE_OF_LABEL[label.reason] ?? [];
  if (expected.includes(reading.type)) return true;
  // A delay notice is not a bounce yet: its reason is what can agree, and "expired" is what the set calls a
  // delay.
  if (reading.type !== 'deferred' || reading.reason === null) return false;
  return expected.includes('expired') || expected.includes(bounceTypeOf(reading.reason));
}

/** The rules of ours that labels go against. */
function disputed(label: Label, reading: Reading): string | null {
  if (reading.type === 'hard' && !label.hard && SUPPRESSING_CODES.has(reading.status)) {
    return `${reading.status} is about the mailbox and nothing else: it is hard and suppresses`;
  }
  if (label.hard && /^[45]\.7\./.test(reading.status)) {
    return `${reading.status} is a policy refusal and never taken for a bad address`;
  }
  return null;
}

/** Adds comparisons up. */
export function summarize(comparisons: readonly Comparison[]): Agreement {
  return {
    recipients: comparisons.length,
    hardAgrees: comparisons.filter((one) => one.hardAgrees).length,
    typeAgrees: comparisons.filter((one) => one.typeAgrees).length,
    differences: comparisons.filter((one) => !one.hardAgrees || !one.typeAgrees),
  };
}

/** The figures and every difference, disputed ones with their reason, as lines for a terminal. */
export function formatAgreement(agreement: Agreement): string[] {
  const { recipients, hardAgrees, typeAgrees, differences } = agreement;
  const share = (count: number) =>
    `${((count / Math.max(1, recipients)) * 100).toFixed(1)} % (${count} of ${recipients})`;
  const disputed = differences.filter((one) => one.dispute !== null);
  const open = differences.filter((one) => one.dispute === null);
  return [
    `hard or not       ${share(hardAgrees)}`,
    `reason, as a type ${share(typeAgrees)}`,
    '',
    `Labels we dispute: ${disputed.length}`,
    ...disputed.map((one) => `  ${formatDifference(one)}\n    because ${one.dispute}`),
    '',
    `Other differences: ${open.length}`,
    ...open.map((one) => `  ${formatDifference(one)}`),
  ];
}

const MAX_QUOTED_CHARS = 120;

function formatDifference({ file, label, reading }: Comparison): string {
  const theirs = `${label.reason}${label.hard ? ', hard' : ''}`;
  const ours = `${reading.reason ?? '-'}, ${reading.type}`;
  return `${file}: label ${theirs}; ours ${ours}: ${reading.diagnostic.slice(0, MAX_QUOTED_CHARS)}`;
}
