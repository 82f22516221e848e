import { type Bundle, withSums } from '@acuse/evidence/bundle';
import { disclose } from '@acuse/evidence/disclose';
import { READ_AT, sha256 } from './authority.ts';

import { type Cases, change, flipLast, replaceText } from './tamper.ts';

export function outcomes(cases: Cases, whole: Bundle): void {
  // Small: without the time-stamps that these cases are not about.
  const light = withSums(
    new Map(
      [...whole].filter(
        ([name]) =>
          !/^(message-constancia|revocation|chain\/message|delivery\/01-sent\.tsr|chain\/delivery)/.test(
            name,
          ),
      ),
    ),
    sha256,
  );
  const add = (name: string, why: string, bundle: Bundle) => cases.set(`delivery-${name}`, { why, bundle });
  const drop = (pattern: RegExp) =>
    withSums(new Map([...light].filter(([name]) => !pattern.test(name))), sha256);
  const rename = (from: string, to: string) =>
    withSums(new Map([...light].map(([name, bytes]) => [name.replace(from, to), bytes])), sha256);
  add('gap', 'the first outcome is left out', drop(/^delivery\/01-/));
  add(
    'not-first',
    'the second outcome in the place of the first',
    withSums(
      new Map([...drop(/^delivery\/(01|03)-/)].map(([name, bytes]) => [name.replace('/02-', '/01-'), bytes])),
      sha256,
    ),
  );
  add('kind', 'of another kind than its name says', rename('02-bounced', '02-complained'));
  add(
    'changed',
    'one digit of the attempt',
    replaceText(light, 'delivery/01-sent.json', '"attempt":1', '"attempt":2'),
  );
  add(
    'event',
    'another ETSI event',
    replaceText(light, 'delivery/01-sent.json', 'RelayToNonERDS', 'ContentHandover'),
  );
  add(
    'proof-missing',
    'no proof that it is in the log',
    change(light, 'delivery/01-sent.tlog-proof', undefined),
  );
  add(
    'proof-of-another',
    'the proof of the message in its place',
    change(light, 'delivery/01-sent.tlog-proof', light.get('proof.tlog-proof')),
  );
  add(
    'transcript-changed',
    'one character of the conversation',
    replaceText(light, 'delivery/01-sent.transcript.json', '220', '221'),
  );
  add(
    'report-missing',
    'the report is opened and not there',
    change(light, 'delivery/02-bounced.dsn.eml', undefined),
  );
  add(
    'facts-changed',
    'another answer of the server',
    replaceText(light, 'delivery/01-sent.openings.json', '4XyZ', '4XyY'),
  );
  add(
    'source',
    'what a mail said, as if a server had answered it',
    replaceText(light, 'delivery/02-bounced.json', '"reported_by_mail"', '"session"'),
  );
  add(
    'peer-changed',
    'another peer delivered the report',
    replaceText(light, 'delivery/02-bounced.openings.json', '192.0.2.26', '192.0.2.27'),
  );
  add(
    'token-of-another',
    'its constancia stamps another checkpoint',
    change(whole, 'delivery/01-sent.tsr', whole.get('constancia.tsr')),
  );
}

export async function shownInPart(cases: Cases, whole: Bundle): Promise<void> {
  const shown = await disclose(whole, [1], { sha256, now: READ_AT });
  const light = withSums(
    new Map([...shown].filter(([name]) => !/^(message-constancia|revocation|chain\/message)/.test(name))),
    sha256,
  );
  cases.set('part-changed', {
    why: 'one byte of the part that is shown',
    bundle: change(light, 'parts/01.bin', flipLast(light.get('parts/01.bin')!)),
  });
  cases.set('part-of-another-index', {
    why: 'the part under the number of another',
    bundle: change(change(light, 'parts/00.bin', light.get('parts/01.bin')), 'parts/01.bin', undefined),
  });
}
