import { Type } from 'typebox';
import {
  closed,
  errorAnswers,
  ID_PARAMS,
  named,
  nullable,
  Timestamp,
} from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { readDomainReports } from './reports.ts';
import type { VerifyDeps } from './verify.ts';

const Count = Type.Integer({ minimum: 0, examples: [1_204] });
const Reporters = Type.Array(Type.String(), {
  description: 'Domains of those who reported it, as DKIM or SPF proved them.',
  examples: [['google.com']],
});

const DmarcPolicySchema = Type.Enum(['none', 'quarantine', 'reject'], { $id: 'DmarcPolicy' });

const DmarcSource = named('DmarcSource', {
  source_ip: Type.String({ examples: ['192.0.2.1'] }),
  signed_here: Type.Boolean({
    description: "True: some of its mail is signed with a key of this domain's here.",
  }),
  messages: Count,
  aligned: Type.Integer({ minimum: 0, description: 'Passed DMARC, by DKIM or by SPF.', examples: [1_204] }),
  dkim_aligned: Count,
  spf_aligned: Count,
  quarantined: Count,
  rejected: Count,
  header_from: Type.Array(Type.String(), { description: 'Domains in From.', examples: [['example.com']] }),
  reporters: Reporters,
});

const DmarcAdvice = named('DmarcAdvice', {
  safe_policy: {
    ...nullable(DmarcPolicySchema),
    description:
      'The strictest policy that hardly any of the reported mail would suffer from: reject where at most 0.5 % fails at the reporter in the middle of those with 50 messages or more, in two reports or more over 7 days; quarantine where at most 2 % does. null: none yet.',
  },
  reason: Type.Enum(['too_little_mail', 'unaligned_mail', 'aligned'], {
    $id: 'DmarcAdviceReason',
    description:
      'too_little_mail: fewer than two such reporters; unaligned_mail: look at the sources whose aligned is less than their messages.',
  }),
});

const DmarcSummary = named('DmarcSummary', {
  reports: Count,
  reporters: Reporters,
  messages: Count,
  aligned: Count,
  policy: {
    ...nullable(DmarcPolicySchema),
    description: 'The published policy, as most reporters found it.',
  },
  advice: DmarcAdvice,
  sources: Type.Array(DmarcSource, {
    description:
      'Sources that send as this domain, the most mail first; 100 at most, of each reporter its largest.',
  }),
});

const TlsFailure = named('TlsFailure', {
  host: { ...nullable(Type.String()), description: 'The mail host, where the report names it.' },
  result: Type.String({ description: 'As RFC 8460 §4.3 names it.', examples: ['certificate-expired'] }),
  sessions: Count,
  reporters: Reporters,
});

const TlsSummary = named('TlsSummary', {
  reports: Count,
  sessions: Count,
  failed: Count,
  failures: Type.Array(TlsFailure, {
    description: 'The most sessions first; 100 at most, of each reporter its largest.',
  }),
});

const DomainReports = named('DomainReports', {
  domain: Type.String({ examples: ['example.com'] }),
  since: Timestamp,
  dmarc: DmarcSummary,
  tls: TlsSummary,
});

export const REPORT_DAYS = { default: 30, max: 365 } as const;

export function domainReportRoutes(doors: Doors, deps: VerifyDeps): void {
  doors.get(
    '/domains/:id/reports',
    {
      config: { scopes: ['messages:send', 'evidence:read'] },
      schema: {
        summary: 'Read reports about a domain',
        description:
          'Reports of receivers about mail with this domain in From (DMARC, RFC 7489), and senders of TLS with its mail hosts (RFC 8460), added up. Reports come to dmarc@ and tlsrpt@ of its bounce host, and count if DKIM or SPF proves who sent them.',
        operationId: 'getDomainReports',
        params: ID_PARAMS,
        querystring: closed({
          days: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: REPORT_DAYS.max,
              default: REPORT_DAYS.default,
              description: 'Days up to now that the reports are about.',
            }),
          ),
        }),
        response: { 200: DomainReports, ...errorAnswers('not_found') },
      },
    },
    ({ principal, params, query }) =>
      readDomainReports(deps, principal.tenantId, params.id, query.days ?? REPORT_DAYS.default),
  );
}
