import type { SecureContext } from 'node:tls';
import { requireWebPki, type TlsOptions } from '../smtp/tls.ts';
import { type DaneDemand, verifyDane } from './dane.ts';
import { allowsHost, type MtaStsPolicy } from './mta-sts.ts';

/**
 * How to secure one host, or that it must not have the mail. `mayFallBack`: clear text will do if TLS breaks.
 */
export type TlsPlan =
  | {
      readonly kind: 'use';
      readonly tls: TlsOptions;
      readonly mayFallBack: boolean;
      readonly by: 'dane' | 'mta-sts' | 'opportunistic';
    }
  | { readonly kind: 'skip'; readonly problem: 'mta_sts' | 'dane'; readonly detail: string };

export interface TlsPlanInput {
  readonly host: string;
  /** Names a DANE trust anchor may vouch for: the host, and the domain if its MX was validated. */
  readonly names: readonly string[];
  readonly dane: DaneDemand;
  readonly mtaSts: MtaStsPolicy | null;
  readonly now: () => Date;
  readonly secureContext?: SecureContext;
}

/**
 * DANE where it is published, else MTA-STS in mode enforce, else whatever TLS there is. RFC 8461 §2: DANE is
 * not overridden.
 */
export function planTls(input: TlsPlanInput): TlsPlan {
  const { host, dane, mtaSts, now } = input;
  const context = input.secureContext === undefined ? {} : { secureContext: input.secureContext };
  if (dane.kind === 'defer') {
    return { kind: 'skip', problem: 'dane', detail: `TLSA of ${host}: ${dane.detail}` };
  }
  if (dane.kind === 'authenticate') {
    const { records } = dane;
    const verify: TlsOptions['verify'] = ({ chain }) =>
      verifyDane(records, { chain, names: input.names, now: now() });
    const tls: TlsOptions = { mode: 'required', servername: host, verify, ...context };
    return { kind: 'use', tls, mayFallBack: false, by: 'dane' };
  }
  if (dane.kind === 'encrypt') {
    const tls: TlsOptions = { mode: 'required', servername: host, ...context };
    return { kind: 'use', tls, mayFallBack: false, by: 'dane' };
  }
  if (mtaSts?.mode === 'enforce') {
    if (!allowsHost(mtaSts, host)) {
      return { kind: 'skip', problem: 'mta_sts', detail: `the MTA-STS policy does not list ${host}` };
    }
    const tls: TlsOptions = { mode: 'required', servername: host, verify: requireWebPki, ...context };
    return { kind: 'use', tls, mayFallBack: false, by: 'mta-sts' };
  }
  const tls: TlsOptions = { mode: 'opportunistic', servername: host, ...context };
  return { kind: 'use', tls, mayFallBack: true, by: 'opportunistic' };
}
