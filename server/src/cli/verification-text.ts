import type { MessageFacts } from '@acuse/evidence/message-facts';
import { COUNTED, remarkText, VERDICT_TITLES } from '@acuse/evidence/verdict-words';
import type { Verification, VerifiedFacts } from '@acuse/evidence/verify';
import type { Difference, EmlReport } from '@acuse/evidence/verify-eml';
import { facts, type Lines } from './output.ts';

/** Without --verbose; failed checks and copies add more. */
const MAX_LINES = 12;

/**
 * The verdict first, then sender, seal, keys and outcomes, and what limits the verdict. output.ts escapes
 * strangers' text.
 */
export function verificationText(verification: Verification, { verbose }: { verbose: boolean }): Lines {
  const { checks, eml, valid, verdict } = verification;
  const failed = checks.filter((check) => !check.ok);
  const said = [VERDICT_TITLES.en[verdict], ...summaryLines(verification), ...remarkLines(verification)];
  const left = said.length - (MAX_LINES - 1);
  const lines: Lines[] =
    verbose || left <= 1
      ? said
      : [...said.slice(0, MAX_LINES - 1), `! ${left} more remarks: --verbose lists them`];
  if (!verbose) lines.push(...checkLines(failed));
  else lines.push('', ...everything(verification));
  if (eml !== null) lines.push('', copyLine(valid, eml), ...differenceLines(eml));
  return lines;
}

function checkLines(checks: Verification['checks']): string[] {
  const width = Math.max(...checks.map((check) => check.name.length));
  return checks.map((check) => `${check.ok ? '✓' : '✗'} ${check.name.padEnd(width)}  ${check.detail}`);
}

/** Verified facts only. */
function summaryLines({ valid, facts: found, verdict }: Verification): Lines[] {
  if (!valid) return [];
  const { message, sealed_at, issuer, log, trust, root_sha256, outcomes_as_of, outcomes_withheld } = found;
  const [from, to] = [message?.from ?? message?.mail_from, message?.to ?? message?.rcpt_to];
  const shown = found.delivery?.length ?? 0;
  const root = root_sha256 === undefined ? '' : `; root of the authority: SHA-256 ${root_sha256}`;
  const keys =
    trust === 'pinned'
      ? 'those of the policy that you gave'
      : `those that the file names${verdict === 'verified' ? ', which you took' : ''}`;
  const outcomes =
    outcomes_as_of === undefined
      ? `${shown} shown, not counted`
      : COUNTED.en({
          count: shown + (outcomes_withheld ?? 0),
          withheld: outcomes_withheld ?? 0,
          time: outcomes_as_of,
        });
  return [
    facts([
      ...(from === undefined && to === undefined
        ? []
        : [['Message', `from ${from ?? '(not shown)'} to ${to ?? '(not shown)'}`] as const]),
      ...(message?.subject === undefined ? [] : [['Subject', message.subject] as const]),
      ['Sealed', `${sealed_at} by ${issuer}, in the log ${log}`],
      ['Keys', `${keys}${root}`],
      ['Outcomes', outcomes],
    ]),
  ].flat() as Lines[];
}

/** Whoever changed a bundle may have written commands into it that an expert runs. */
const OTHER_GUIDE =
  '? VERIFY.md is not the text that this version writes from the evidence (another version may have written it): do not run its commands unless you trust its source.';

function remarkLines(verification: Verification): string[] {
  const { verdict, reasons, warnings, valid, documents, facts: verified } = verification;
  const why = verdict === 'rejected' ? [] : reasons;
  const isOther = valid && documents.some(({ remade }) => remade === false);
  return [
    ...why.map((reason) => `! ${remarkText(reason, 'en')}.`),
    ...warnings.map((warning) => `? ${remarkText(warning, 'en')}.`),
    ...endedLines(verified),
    ...(isOther ? [OTHER_GUIDE] : []),
  ];
}

function endedLines({ covered_until: until }: VerifiedFacts): string[] {
  if (until === undefined || Date.parse(until) >= Date.now()) return [];
  return [
    `? The certificates of its newest time-stamp ended at ${until}: ask for a bundle that was renewed before then.`,
  ];
}

function everything({ checks, documents, facts: found }: Verification): Lines[] {
  const lines: Lines[] = [...messageLines(found.message), ...checkLines(checks), ...factLines(found)];
  if (found.content === 'erased')
    lines.push(
      '',
      'The operator erased the content and with it the salts: the message, the request, the addresses and the replies of servers can no',
      'longer be shown. It remains proven that this manifest was sealed, when, and with what outcomes.',
    );
  if (found.profile === 'development')
    lines.push('', 'The time-stamp is from a development authority: it is not a NOM-151 constancia.');
  if (documents.length > 0) lines.push('', ...documents.map(({ name, detail }) => `${name} ${detail}.`));
  lines.push(...trustLines(found));
  return lines;
}

function messageLines(message: MessageFacts | undefined): Lines[] {
  if (message === undefined) return [];
  const { parts, ...fields } = message;
  const names = { from: 'From', to: 'To', cc: 'Cc', reply_to: 'Reply-To', subject: 'Subject', date: 'Date' };
  const envelope = { mail_from: 'envelope from', rcpt_to: 'envelope to' };
  const pairs = Object.entries({ ...names, ...envelope }).flatMap(([field, label]) => {
    const text = fields[field as keyof typeof fields];
    return text === undefined ? [] : [[label, text] as const];
  });
  const shown = parts.map(
    ({ filename, media_type, size }) =>
      `${filename === null ? media_type : `${filename} (${media_type})`}, ${size} bytes`,
  );
  for (const part of shown) pairs.push(['part', part]);
  return pairs.length === 0 ? [] : [facts(pairs), ''];
}

function factLines(found: VerifiedFacts): Lines[] {
  const { delivery, message: _, ...rest } = found;
  const pairs = Object.entries(rest).map(([name, value]) => [name, String(value)] as const);
  return [
    ...(pairs.length > 0 ? ['', facts(pairs)] : []),
    ...(delivery ?? []).map((outcome) => `delivery  ${JSON.stringify(outcome)}`),
  ];
}

/** Without the reader's policy the bundle vouches for itself. */
function trustLines({ trust, root_sha256 }: VerifiedFacts): string[] {
  if (trust === undefined) return [];
  if (trust === 'pinned')
    return [
      '',
      'Trust: the log key, the authorities and the witnesses are those of the policy that you gave.',
    ];
  return [
    '',
    'Trust was taken from the bundle itself: its maker named the log key and the root of the authority. Compare them with what the',
    `authority and the operator publish, or pass --trust.${root_sha256 === undefined ? '' : ` Trusted root: SHA-256 ${root_sha256}`}`,
  ];
}

const COPY: Readonly<Record<EmlReport['verdict'], string>> = {
  same: 'This copy is what was sent.',
  parts:
    'This copy has the parts that the bundle shows; its sender, subject and everything else were not compared.',
  differs: 'This copy is not what was sent:',
  not_comparable: 'This copy could not be compared:',
};

function copyLine(valid: boolean, { verdict, checks }: EmlReport): string {
  const reason = verdict === 'not_comparable' ? ` ${checks[0]?.detail ?? ''}.` : '';
  return `The bundle is ${valid ? 'valid' : 'not valid'}. ${COPY[verdict]}${reason}`;
}

const DIFFERENCE: Readonly<Record<Difference['kind'], (name: string) => string>> = {
  field_added: (name) => `${name} was added to the header`,
  field_changed: (name) => `${name} is different`,
  field_missing: (name) => `${name} is missing`,
  header: () => 'the header is different',
  body: () => 'the body is different',
  part_missing: (name) => `the part ${name} is missing or different`,
  unreadable: () => 'it cannot be read as a message',
};

function differenceLines({ differences, checks, verdict }: EmlReport): string[] {
  if (verdict === 'not_comparable') return [];
  return [
    ...differences.map(({ kind, name }) => `  - ${DIFFERENCE[kind](name ?? '')}`),
    ...checks.map(({ ok, name, detail }) => `  ${ok ? '✓' : '✗'} ${name}  ${detail}`),
  ];
}
