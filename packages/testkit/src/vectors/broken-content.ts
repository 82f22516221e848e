import { type Bundle, withSums } from '@acuse/evidence/bundle';
import { decodeUtf8, utf8 } from '@acuse/evidence/bytes';
import { type Json, jcsBytes } from '@acuse/evidence/jcs';
import { type Authority, sha256 } from './authority.ts';
import { countOf, prove, sealedEvidence } from './bundles.ts';
import { letterInput, sealLetter } from './messages.ts';

import { assemble, type Cases, change, changeJson, flipLast, replaceText, textOf } from './tamper.ts';

export function entriesAndTrust(cases: Cases, small: Bundle): void {
  const add = (name: string, why: string, bundle: Bundle) => cases.set(name, { why, bundle });
  const without = (name: string) => new Map([...small].filter(([entry]) => entry !== name));
  add('required-entry-missing', 'manifest.json is not there', withSums(without('manifest.json'), sha256));
  const [first, second, ...more] = textOf(small, 'SHA256SUMS').split('\n');
  add(
    'sums-other-order',
    'the first two lines of SHA256SUMS change places',
    new Map(small).set('SHA256SUMS', utf8([second, first, ...more].join('\n'))),
  );
  add('sums-missing', 'SHA256SUMS is not there', without('SHA256SUMS'));
  add(
    'sums-of-another',
    'SHA256SUMS has another hash of message.eml',
    new Map(small).set('message.eml', flipLast(small.get('message.eml')!)),
  );
  add(
    'sums-line-missing',
    'SHA256SUMS leaves openings.json out',
    new Map(small).set('SHA256SUMS', utf8(textOf(small, 'SHA256SUMS').replace(/.*openings\.json\n/, ''))),
  );
  add('entry-unknown', 'an entry that no bundle has', new Map(small).set('README', utf8('x')));
  add(
    'entry-traversing',
    'an entry that would be written outside',
    new Map(small).set('../manifest.json', utf8('x')),
  );
  add(
    'chain-without-token',
    'a chain whose time-stamp is not there',
    change(small, 'chain/renewal-01.pem', textOf(small, 'chain/constancia.pem')),
  );
  add(
    'sums-without-renewal',
    "a renewal's list whose time-stamp is not there",
    change(small, 'renewal/01.sums', 'x'),
  );
  add('policy-not-canonical', 'policy.json with white space', replaceText(small, 'policy.json', '{', '{ '));
  add(
    'policy-key-id',
    "a log key whose id is not the key's",
    replaceText(small, 'policy.json', /\+[0-9a-f]{8}\+/, '+00000000+'),
  );
  add(
    'policy-unknown-field',
    'a field that policies do not have',
    changeJson(small, 'policy.json', (policy) => {
      policy['note'] = 'x';
    }),
  );
}

export function manifestAndOpenings(cases: Cases, small: Bundle): void {
  const add = (name: string, why: string, bundle: Bundle) => cases.set(name, { why, bundle });
  const manifest = (name: string, why: string, from: string | RegExp, to: string) =>
    add(name, why, replaceText(small, 'manifest.json', from, to));
  manifest('manifest-not-canonical', 'manifest.json with a newline at its end', /$/, '\n');
  manifest('manifest-changed', 'another time of acceptance', '05:06:07.089', '05:06:07.090');
  manifest('manifest-unknown-field', 'a field that manifests do not have', '"type"', '"tyqe":1,"type"');
  manifest('manifest-key-twice', 'a key that stands twice', '"type"', '"tenant_sequence":"17","type"');
  manifest('manifest-no-time', 'accepted on 30 February', '2026-03-04', '2026-02-30');
  manifest('manifest-other-type', 'another version of the format', 'acuse/message/v1', 'acuse/message/v2');
  const openings = (name: string, why: string, alter: (value: Record<string, Json>) => void) =>
    add(name, why, changeJson(small, 'openings.json', alter));
  openings('openings-of-another', 'the canonical hash of another manifest', (value) => {
    value['canonical_hash'] = '0'.repeat(64);
  });
  openings('openings-salt', 'a salt that opens nothing', (value) => {
    (value['submission'] as Record<string, Json>)['salt'] = '0'.repeat(64);
  });
  openings('openings-address', 'another recipient beside the hash of the true one', (value) => {
    (value['envelope'] as Record<string, Record<string, Json>>)['rcpt_to']!['value'] = 'eva@receiver.example';
  });
  openings('openings-not-complete', 'says complete and opens less', (value) => {
    delete (value['envelope'] as Record<string, Json>)['rcpt_to'];
  });
  openings('openings-not-erased', 'says erased and opens all', (value) => {
    value['content'] = 'erased';
  });
  openings('openings-part-twice', 'the same part opened twice', (value) => {
    const mail = value['mail'] as Record<string, Json[]>;
    mail['parts'] = [mail['parts']![0]!, mail['parts']![0]!];
  });
  openings('openings-part-renamed', 'another file name for the attachment', (value) => {
    (value['mail'] as Record<string, Record<string, Json>[]>)['parts']![1]!['filename'] = 'otro.pdf';
  });
  add('message-missing', 'the message is opened and not there', change(small, 'message.eml', undefined));
  add(
    'message-changed',
    'one word of the message',
    replaceText(small, 'message.eml', 'contrato de', 'contrato du'),
  );
  add(
    'message-with-relay-fields',
    'what a relay put before the message',
    change(small, 'message.eml', `Received: by relay\r\n${textOf(small, 'message.eml')}`),
  );
  add(
    'submission-changed',
    'one word of the request',
    replaceText(small, 'submission.bin', 'Aviso', 'Avisa'),
  );
  add(
    'submission-missing',
    'the request is opened and not there',
    change(small, 'submission.bin', undefined),
  );
  add(
    'part-beside-message',
    'a part that stands beside the whole message',
    change(small, 'parts/01.bin', 'x'),
  );
}

/** Statements that contradict each other, truly vouched for by log and authority. */
export async function liesOfTheOperator(cases: Cases, authority: Authority): Promise<void> {
  const other = letterInput({
    raw: utf8(
      decodeUtf8(letterInput().raw)!.replace('Luis:=20', 'Luis').replace('JVBERi0xLjQK', 'JVBERi0xLjUK'),
    ),
  });
  const otherOpenings = sealLetter(other).openings;
  const truth = sealLetter();
  /** A leaf that commits to `layer` of the other message. */
  const crossed = async (layer: 'header' | 'body' | 'parts'): Promise<Bundle> => {
    const manifest = JSON.parse(decodeUtf8(truth.manifestBytes)!);
    manifest.mail[layer] = JSON.parse(decodeUtf8(sealLetter(other).manifestBytes)!).mail[layer];
    const manifestBytes = jcsBytes(manifest);
    const { proof, text } = prove(sha256(manifestBytes), 5, 13);
    const openings = {
      ...truth.openings,
      canonical_hash: Buffer.from(sha256(manifestBytes)).toString('hex'),
      mail: { ...truth.openings.mail, [layer]: otherOpenings.mail[layer] },
    };
    const evidence = {
      ...(await sealedEvidence(authority)),
      ...{ manifest: manifestBytes, openings, proof },
      outcomesNote: countOf([sha256(manifestBytes)]),
    };
    return assemble({ ...evidence, constancia: await authority.stamp(sha256(utf8(text))) });
  };
  cases.set('body-of-another', {
    why: 'the leaf commits to the relaxed body of another message',
    bundle: await crossed('body'),
  });
  cases.set('parts-of-another', {
    why: 'the leaf commits to the parts of another message',
    bundle: await crossed('parts'),
  });
}
