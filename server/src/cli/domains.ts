import { presentDomain } from '../accounts/domains/present.ts';
import {
  markVerified,
  readDomain,
  readDomains,
  registerDomain,
  removeDomain,
} from '../accounts/domains/register.ts';
import { REPORT_DAYS } from '../accounts/domains/report-routes.ts';
import { readDomainReports } from '../accounts/domains/reports.ts';
import type { Domain } from '../accounts/domains/store.ts';
import { verifyDomain } from '../accounts/domains/verify.ts';
import { readTenant } from '../accounts/tenants/operations.ts';
import { readRequirements } from '../delivery/requirements/requirements.ts';
import { createSourceFacts } from '../operate/doctor/source-facts.ts';
import { type Command, defineCommand, EXIT, type ExitCode } from './command.ts';
import { facts, type Lines, type Output, table } from './output.ts';
import { domainServices, withServices } from './services.ts';
import { answerPage, EXAMPLE_ID, PAGE_OPTIONS, pageOf, TENANT_OPTION, tenantOf } from './shared-options.ts';

type Shown = ReturnType<typeof presentDomain>;
const DOMAIN_ARGUMENT = { name: 'id', doc: 'id of the domain' } as const;

const create = defineCommand({
  name: 'domains create',
  summary: 'Registers a sending domain and shows the DNS records to publish',
  args: [{ name: 'name', doc: 'domain, such as example.com' }],
  options: TENANT_OPTION,
  examples: [
    'acuse domains create example.com',
    `acuse domains create example.com --tenant ${EXAMPLE_ID} --json`,
  ],
  run: ({ options, args, out, env }) =>
    showDomain(env, 'domains create', options.tenant, out, async (services, tenantId) => {
      await readTenant(services, tenantId);
      return registerDomain(services, tenantId, args[0]!);
    }),
});

const list = defineCommand({
  name: 'domains list',
  summary: "Lists an account's domains, newest first",
  options: { ...TENANT_OPTION, ...PAGE_OPTIONS },
  examples: ['acuse domains list'],
  async run({ options, out, env }) {
    const page = pageOf('domains list', options);
    const answer = await withServices(env, 'domains list', async (services) => {
      const { returnPathHost } = domainServices(services);
      return readDomains(services, await tenantOf(services, options.tenant), null, page, (domain) =>
        presentDomain(domain, returnPathHost),
      );
    });
    const lines = answer.data.map(({ id, status, readiness, verified_at, name }) => [
      id,
      status,
      readiness,
      verified_at ?? '-',
      name,
    ]);
    answerPage(out, answer, ['ID', 'STATUS', 'READINESS', 'VERIFIED', 'NAME'], lines, 'no domains');
  },
});

const show = defineCommand({
  name: 'domains show',
  summary: 'Shows a domain with its DNS records and the result of the last look-up of each',
  args: [DOMAIN_ARGUMENT],
  options: TENANT_OPTION,
  examples: [`acuse domains show ${EXAMPLE_ID}`],
  run: ({ options, args, out, env }) =>
    showDomain(env, 'domains show', options.tenant, out, (services, tenantId) =>
      readDomain(services, tenantId, args[0]!),
    ),
});

const verify = defineCommand({
  name: 'domains verify',
  summary: 'Looks up the DNS records of a domain now',
  details: 'Exit code 0: the domain is verified; 1: it is not.',
  args: [DOMAIN_ARGUMENT],
  options: TENANT_OPTION,
  examples: [`acuse domains verify ${EXAMPLE_ID}`, `acuse domains verify ${EXAMPLE_ID} --json`],
  run: ({ options, args, out, env }) =>
    showDomain(env, 'domains verify', options.tenant, out, (services, tenantId) =>
      verifyDomain(services, tenantId, args[0]!),
    ),
});

const vouch = defineCommand({
  name: 'domains vouch',
  summary: "Marks a domain as verified on the operator's word, without a DNS look-up",
  args: [DOMAIN_ARGUMENT],
  options: TENANT_OPTION,
  examples: [`acuse domains vouch ${EXAMPLE_ID}`],
  run: ({ options, args, out, env }) =>
    showDomain(env, 'domains vouch', options.tenant, out, (services, tenantId) =>
      markVerified(services, tenantId, args[0]!),
    ),
});

const reports = defineCommand({
  name: 'domains reports',
  summary: 'Shows what receivers reported about mail from a domain in the last 30 days',
  details: 'DMARC: who sends as the domain, and which policy it may have. TLS: which mail hosts fail.',
  args: [DOMAIN_ARGUMENT],
  options: TENANT_OPTION,
  examples: [`acuse domains reports ${EXAMPLE_ID}`, `acuse domains reports ${EXAMPLE_ID} --json`],
  async run({ options, args, out, env }) {
    const answer = await withServices(env, 'domains reports', async (services) =>
      readDomainReports(services, await tenantOf(services, options.tenant), args[0]!, REPORT_DAYS.default),
    );
    out.answer(answer, () => describeReports(answer));
  },
});

const requirements = defineCommand({
  name: 'domains requirements',
  summary: 'Shows how a domain stands with the rules of Gmail and Yahoo for bulk senders',
  details: 'Exit code 1: a rule is not met.',
  args: [DOMAIN_ARGUMENT],
  options: TENANT_OPTION,
  examples: [`acuse domains requirements ${EXAMPLE_ID}`],
  async run({ options, args, out, env }) {
    const answer = await withServices(env, 'domains requirements', async (services) => {
      const { returnPathHost } = domainServices(services);
      const lookAtSources = createSourceFacts(services.config, services.clock);
      const tenantId = await tenantOf(services, options.tenant);
      return readRequirements({ ...services, returnPathHost, lookAtSources }, tenantId, args[0]!);
    });
    out.answer(answer, () => [
      facts([
        ['domain', answer.domain],
        ['since', answer.since],
      ]),
      '',
      table(
        ['RULE', 'VERDICT', 'SEEN', 'FOUND'],
        answer.requirements.map(({ rule, verdict, part, total, found }) => [
          ...[rule, verdict, total === null ? '-' : `${part} of ${total}`],
          found.join(', ') || '-',
        ]),
        '',
      ),
    ]);
    return answer.requirements.some(({ verdict }) => verdict === 'unmet') ? EXIT.failed : EXIT.ok;
  },
});

const remove = defineCommand({
  name: 'domains delete',
  summary: 'Deletes a domain with its keys and senders',
  args: [DOMAIN_ARGUMENT],
  options: TENANT_OPTION,
  examples: [`acuse domains delete ${EXAMPLE_ID}`],
  async run({ options, args, out, env }) {
    await withServices(env, 'domains delete', async (services) =>
      removeDomain(domainServices(services), await tenantOf(services, options.tenant), args[0]!),
    );
    out.answer({ id: args[0], deleted: true }, () => `deleted ${args[0]}`);
  },
});

export const domainCommands: readonly Command[] = [
  ...[create, list, show, verify, vouch],
  ...[reports, requirements, remove],
];

/** Fails if verification was asked for and failed. */
async function showDomain(
  env: Parameters<typeof withServices>[0],
  command: string,
  tenant: string | undefined,
  out: Output,
  work: (services: ReturnType<typeof domainServices>, tenantId: string) => Promise<Domain>,
): Promise<ExitCode> {
  const shown = await withServices(env, command, async (services) => {
    const deps = domainServices(services);
    return presentDomain(await work(deps, await tenantOf(services, tenant)), deps.returnPathHost);
  });
  out.answer(shown, () => describe(shown));
  return command === 'domains verify' && shown.status !== 'verified' ? EXIT.failed : EXIT.ok;
}

function describe(domain: Shown): Lines {
  const records = domain.records.map(({ purpose, type, name, value, required, status }) => [
    status,
    `${purpose}${required ? '' : ' (advised)'}`,
    type,
    name,
    value,
  ]);
  const head = facts([
    ['id', domain.id],
    ['name', domain.name],
    ['status', domain.status],
    ['readiness', domain.readiness],
    ['failing_records', domain.failing_records.join(', ') || null],
    ['verified_at', domain.verified_at],
  ]);
  return [head, '', table(['FOUND', 'PURPOSE', 'TYPE', 'NAME', 'VALUE'], records, 'no records')];
}

function describeReports({
  domain,
  since,
  dmarc,
  tls,
}: Awaited<ReturnType<typeof readDomainReports>>): Lines {
  const sources = dmarc.sources.map((source) => [
    source.source_ip,
    source.signed_here ? 'yes' : 'no',
    String(source.messages),
    String(source.aligned),
    source.reporters.join(' '),
  ]);
  const failures = tls.failures.map(({ host, result, sessions }) => [host ?? '-', result, String(sessions)]);
  const head = facts([
    ['domain', domain],
    ['since', since],
    ['dmarc_reports', String(dmarc.reports)],
    ['policy', dmarc.policy],
    ['safe_policy', dmarc.advice.safe_policy],
    ['reason', dmarc.advice.reason],
    ['tls_reports', String(tls.reports)],
    ['tls_failed', `${tls.failed} of ${tls.sessions}`],
  ]);
  return [
    head,
    '',
    table(['SOURCE', 'SIGNED HERE', 'MESSAGES', 'ALIGNED', 'REPORTERS'], sources, 'no sources reported'),
    '',
    table(['HOST', 'RESULT', 'SESSIONS'], failures, 'no failures of TLS reported'),
  ];
}
