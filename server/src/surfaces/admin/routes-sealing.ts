import { Type } from 'typebox';
import { apiError } from '../../errors.ts';
import { type BatchRow, listBatches, listWitnesses } from '../../evidence/batch-store.ts';
import { createLogs } from '../../evidence/log/log-key.ts';
import { isMonth, presentSealing } from '../../evidence/present-status.ts';
import { renewDue } from '../../evidence/renewal/renew.ts';
import { readSealingStatus } from '../../evidence/status.ts';
import { closed, named } from '../../platform/http/api-schema.ts';
import { CREATED_QUERY, idRange, readCreated } from '../../platform/http/created-query.ts';
import type { Doors } from '../../platform/http/door.ts';
import { PAGE_QUERY, pageSchema, parsePage, toPage } from '../../platform/http/page.ts';
import { BY_ADMIN, BY_SUPPORT } from './access.ts';
import type { AdminDeps } from './deps.ts';
import {
  AuthorityStatus,
  BatchSchema,
  RenewalSchema,
  SealingCosts,
  SealingSchema,
  WitnessList,
} from './sealing-schemas.ts';

const MONTH_QUERY = closed({
  month: Type.Optional(
    Type.String({
      maxLength: 7,
      description: 'UTC month of the costs; this month unless given.',
      examples: ['2026-11'],
    }),
  ),
});

/** `acuse sealing status` and `acuse renew` over HTTP. */
export function sealingRoutes(doors: Doors, deps: AdminDeps): void {
  doors.get(
    '/sealing',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'getSealing',
        summary: 'Read the state of sealing',
        description:
          'Leaves that wait to be sealed and why, the state of the authorities, ends of chains, and costs.',
        querystring: MONTH_QUERY,
        response: { 200: SealingSchema },
      },
    },
    async (request) => ({
      development: deps.config.authorities === null,
      ...(await statusOf(deps, request.query.month)),
    }),
  );

  doors.get(
    '/sealing/authorities',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'listAuthorities',
        summary: 'List time-stamping authorities',
        description: 'Those that were asked at least once.',
        response: {
          200: named('AuthorityList', { data: Type.Array(AuthorityStatus) }),
        },
      },
    },
    async () => ({ data: (await statusOf(deps, undefined)).authorities }),
  );

  doors.get(
    '/sealing/costs',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'getSealingCosts',
        summary: 'Read what sealing cost',
        querystring: MONTH_QUERY,
        response: { 200: SealingCosts },
      },
    },
    async (request) => (await statusOf(deps, request.query.month)).costs,
  );
  batchRoutes(doors, deps);
  renewalRoute(doors, deps);
}

function batchRoutes(doors: Doors, deps: AdminDeps): void {
  doors.get(
    '/sealing/batches',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'listBatches',
        summary: 'List batches',
        description: 'Newest first, each with its constancia.',
        querystring: closed({ ...PAGE_QUERY, ...CREATED_QUERY }),
        response: { 200: pageSchema(BatchSchema) },
      },
    },
    async (request) => {
      const page = parsePage(request);
      const created = readCreated(request.query);
      const range = idRange(created, page.afterId);
      const rows = await deps.db.transact((tx) => listBatches(tx, created, range, page.fetch));
      return toPage(rows, page, (row) => row.batchId, presentBatch);
    },
  );

  doors.get(
    '/sealing/witnesses',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'listWitnesses',
        summary: 'List witnesses',
        response: { 200: WitnessList },
      },
    },
    async () => {
      const rows = await deps.db.transact(listWitnesses);
      const configured = new Map(deps.witnesses.list.map((witness) => [witness.vkey, witness]));
      return {
        quorum: deps.witnesses.quorum,
        data: rows.map((row) => ({
          origin: row.origin,
          name: row.vkey.slice(0, row.vkey.indexOf('+')),
          key: row.vkey,
          url: configured.get(row.vkey)?.url ?? null,
          tree_size: row.treeSize,
          failures: row.failures,
          last_error: row.lastError,
          next_attempt_at: row.dueAt.toISOString(),
          cosigned_at: row.cosignedAt?.toISOString() ?? null,
        })),
      };
    },
  );
}

function renewalRoute(doors: Doors, deps: AdminDeps): void {
  const logOf = createLogs(deps);
  const { renewBeforeMs } = deps.config;
  doors.post(
    '/sealing/renewals',
    {
      config: BY_ADMIN,
      schema: {
        operationId: 'renewConstancias',
        summary: 'Renew what is due',
        description:
          'The constancias whose certificates end soon, up to 512 per call. The sealing role does the same every ten minutes; this does it now.',
        response: { 200: RenewalSchema },
      },
    },
    (request) =>
      deps.audit.change(request, { action: 'sealing.renew' }, async () => {
        // Also when the client disconnects: a half-done renewal is useless.
        const whole = new AbortController();
        const round = await renewDue({ ...deps, logOf, renewBeforeMs }, whole.signal);
        const { renewed, postponed, more } = round;
        const answer = { renewed, postponed, reasons: [...round.reasons], more };
        return { answer, after: answer };
      }),
  );
}

async function statusOf({ db, clock, config }: AdminDeps, given: string | undefined) {
  const month = readMonth(given, clock.now());
  const { renewBeforeMs, currency } = config;
  const shown = presentSealing(await readSealingStatus({ db, clock, renewBeforeMs }, month));
  return { ...shown, costs: { ...shown.costs, currency } };
}

export function readMonth(given: string | undefined, now: Date): string {
  const month = given ?? now.toISOString().slice(0, 7);
  if (!isMonth(month)) throw apiError('invalid_parameter', `month must be YYYY-MM, not "${month}".`);
  return month;
}

function presentBatch(row: BatchRow) {
  return {
    id: row.batchId,
    origin: row.origin,
    leaves: row.treeSize - row.previousTreeSize,
    tree_size: row.treeSize,
    root_hash: Buffer.from(row.rootHash).toString('hex'),
    created_at: row.createdAt.toISOString(),
    certificate:
      row.certificateId === null
        ? null
        : {
            id: row.certificateId,
            profile: row.profile!,
            issuer: row.issuer!,
            gen_time: row.genTime!.toISOString(),
            covered_until: row.coveredUntil?.toISOString() ?? null,
          },
    cosignatures: row.cosignatures,
  };
}
