import { toHex, utf8 } from '@acuse/evidence/bytes';
import { renewalName } from '@acuse/evidence/renewal';
import { certificateToPem } from '@acuse/evidence/timestamp/parse';
import type { RevocationRow } from '../stamp/revocation-store.ts';
import type { StampColumns } from '../stamp/stamp-columns.ts';
import type { RenewalRow } from './renewal-store.ts';

/** The entries that a renewal covers, the same for a whole batch. Pure. */

export function revocationName({ sha256, kind }: Pick<RevocationRow, 'sha256' | 'kind'>): string {
  return `${toHex(sha256)}.${kind}`;
}

export function chainPem({ chain }: Pick<StampColumns, 'chain'>): string {
  return chain.map(certificateToPem).join('');
}

/** `checkpointText`: three lines; `revocation`: for all stamps. */
export function renewedEntries(
  checkpointText: string,
  constancia: StampColumns,
  renewals: readonly RenewalRow[],
  revocation: readonly RevocationRow[],
): Map<string, Uint8Array> {
  const entries = new Map<string, Uint8Array>([
    ['checkpoint.txt', utf8(checkpointText)],
    ['constancia.tsr', constancia.token],
    ['chain/constancia.pem', utf8(chainPem(constancia))],
  ]);
  for (const [i, renewal] of renewals.entries()) {
    const number = renewalName(i + 1);
    entries.set(`renewal/${number}.sums`, utf8(renewal.sums));
    if (renewal.list !== null) entries.set(`renewal/${number}.list`, utf8(renewal.list));
    entries.set(`renewal/${number}.tsr`, renewal.token);
    entries.set(`chain/renewal-${number}.pem`, utf8(chainPem(renewal)));
  }
  for (const row of revocation) entries.set(`revocation/${revocationName(row)}`, row.content);
  return entries;
}
