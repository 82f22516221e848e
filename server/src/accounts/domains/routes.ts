import { Type } from 'typebox';
import {
  closed,
  errorAnswers,
  ID_PARAMS,
  Id,
  LOCATION,
  NoContent,
  named,
  nullable,
  openNamed,
  Timestamp,
} from '../../platform/http/api-schema.ts';
import { type Doors, locationOf } from '../../platform/http/door.ts';
import { PAGE_QUERY, pageSchema, parsePage } from '../../platform/http/page.ts';
import { presentDomain } from './present.ts';
import { readDomain, readDomains, registerDomain, removeDomain, rotateDkim } from './register.ts';
import { domainReportRoutes } from './report-routes.ts';
import type { Domain } from './store.ts';
import { type VerifyDeps, verifyDomain } from './verify.ts';

const NAME_MAX_CHARS = 1_024;

const NewDomain = named('NewDomain', {
  name: Type.String({
    maxLength: NAME_MAX_CHARS,
    description: 'Unicode names are mapped to A-labels (UTS-46).',
    examples: ['example.com'],
  }),
});

const RecordSchema = openNamed('DomainRecord', {
  purpose: Type.String({ enum: ['ownership', 'dkim', 'return_path', 'dmarc'] }),
  type: Type.String({
    enum: ['TXT', 'CNAME'],
    description: 'For return_path, an MX record to the same host also works.',
  }),
  name: Type.String({ examples: ['_acuse-challenge.example.com'] }),
  value: Type.String({
    description:
      'Value to publish; a TXT value longer than 255 characters goes into several strings of one record.',
    examples: ['acuse-verification=b6c7de0835bf2a6d4a2f0f4f7a1f1f0b9f0f2a11'],
  }),
  required: Type.Boolean({
    description: 'True: the domain is not verified without this record. The others improve delivery.',
  }),
  status: Type.String({ enum: ['unchecked', 'found', 'missing', 'mismatch', 'error'] }),
  found: Type.Array(Type.String(), {
    description: 'Values that the last look-up found under the name, or why it failed.',
    examples: [['acuse-verification=b6c7de0835bf2a6d4a2f0f4f7a1f1f0b9f0f2a11']],
  }),
  key_status: {
    ...nullable(Type.String({ enum: ['pending', 'active', 'retired'] })),
    description:
      'State of the key of a DKIM record: pending keys wait for their record, and retired ones keep theirs for a week. null for other records.',
  },
});

const DomainStatus = Type.Enum(['pending', 'verified', 'failing'], {
  description: 'Only a verified domain may send.',
});

export const DomainSchema = named('Domain', {
  id: Id,
  name: Type.String({ description: 'Domain name in A-labels, lower case.', examples: ['example.com'] }),
  status: DomainStatus,
  readiness: Type.Optional(
    Type.Enum(['pending', 'degraded', 'ready'], {
      $id: 'DomainReadiness',
      description:
        'State of its records. ready: verified, and signed with keys that are in the DNS; degraded: verified, or failing, and a record of failing_records is missing; pending: not verified yet.',
    }),
  ),
  failing_records: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Missing records that keep it from being ready, as of the last look-up.',
      examples: [['acuse-0a1b2c3d-rsa._domainkey.example.com']],
    }),
  ),
  records: Type.Array(RecordSchema),
  created_at: Timestamp,
  verified_at: nullable(Timestamp),
  checked_at: nullable(Timestamp),
  grace_until: {
    ...nullable(Timestamp),
    description: 'Required records are missing: after this time the domain is failing.',
  },
});

const writing = { scopes: ['messages:send'] as const };
const reading = { scopes: ['messages:send', 'evidence:read'] as const };

export function domainRoutes(doors: Doors, deps: VerifyDeps): void {
  const present = (domain: Domain) => presentDomain(domain, deps.returnPathHost);

  doors.post(
    '/domains',
    {
      config: { ...writing, costly: true },
      schema: {
        summary: 'Register a domain',
        description:
          'Answers with the DNS records to publish. Public suffixes are refused. A domain that is verified for another account is refused by verify once its records are published.',
        operationId: 'createDomain',
        retry: 'once',
        body: NewDomain,
        answers: { 201: { headers: LOCATION } },
        response: { 201: DomainSchema, ...errorAnswers('conflict') },
      },
    },
    async (request, reply) => {
      const domain = await registerDomain(deps, request.principal.tenantId, request.body.name);
      return reply
        .code(201)
        .header('Location', locationOf(request, `/domains/${domain.domainId}`))
        .send(present(domain));
    },
  );

  doors.get(
    '/domains',
    {
      config: reading,
      schema: {
        summary: 'List domains',
        description: 'The domains of the account with their records and readiness, newest first.',
        operationId: 'listDomains',
        querystring: closed({ ...PAGE_QUERY, status: Type.Optional(DomainStatus) }),
        response: { 200: pageSchema(DomainSchema) },
      },
    },
    (request) => {
      const { principal, query } = request;
      return readDomains(deps, principal.tenantId, query.status ?? null, parsePage(request), present);
    },
  );

  doors.get(
    '/domains/:id',
    {
      config: reading,
      schema: {
        summary: 'Read a domain',
        description: 'The domain with what the last look-up found for each record.',
        operationId: 'getDomain',
        params: ID_PARAMS,
        response: { 200: DomainSchema, ...errorAnswers('not_found') },
      },
    },
    async (request) => present(await readDomain(deps, request.principal.tenantId, request.params.id)),
  );

  doors.delete(
    '/domains/:id',
    {
      config: writing,
      schema: {
        summary: 'Delete a domain',
        description:
          'Deletes the domain with its DKIM keys and senders; another account can then verify the name.',
        operationId: 'deleteDomain',
        params: ID_PARAMS,
        response: { 204: NoContent, ...errorAnswers('not_found') },
      },
    },
    async (request, reply) => {
      await removeDomain(deps, request.principal.tenantId, request.params.id);
      return reply.code(204).send(null);
    },
  );

  addActionRoutes(doors, deps, present);
  domainReportRoutes(doors, deps);
}

function addActionRoutes(
  doors: Doors,
  deps: VerifyDeps,
  present: (domain: Domain) => ReturnType<typeof presentDomain>,
): void {
  doors.post(
    '/domains/:id/verify',
    {
      config: { ...writing, costly: true },
      schema: {
        summary: 'Verify a domain',
        description:
          'Looks up all records now and reports what was found for each. Answers 200 whatever was found: read status. A verified domain is checked daily and has 24 h of grace.',
        operationId: 'verifyDomain',
        retry: 'repeatable',
        params: ID_PARAMS,
        response: { 200: DomainSchema, ...errorAnswers('not_found', 'conflict') },
      },
    },
    async (request) => present(await verifyDomain(deps, request.principal.tenantId, request.params.id)),
  );

  doors.post(
    '/domains/:id/rotate-dkim',
    {
      config: { ...writing, costly: true },
      schema: {
        summary: 'Rotate DKIM keys',
        description:
          'Creates new keys next to the old ones, which sign until verify or the daily check finds the records of the new ones. Keep the old records for a week after that.',
        operationId: 'rotateDkim',
        retry: 'once',
        params: ID_PARAMS,
        response: { 200: DomainSchema, ...errorAnswers('not_found') },
      },
    },
    async (request) => present(await rotateDkim(deps, request.principal.tenantId, request.params.id)),
  );
}
