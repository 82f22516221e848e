import { presentCheck } from '../../evidence/fsck/checks.ts';
import { closed, errorAnswers, ID_PARAMS, LOCATION } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { PAGE_QUERY, pageSchema, parsePage, toPage } from '../../platform/http/page.ts';
import { BY_ADMIN, BY_SUPPORT, nameOf } from './access.ts';
import type { AdminDeps } from './deps.ts';
import { CheckSchema } from './sealing-schemas.ts';

/** `acuse fsck` over HTTP, as a job. */
export function checkRoutes(doors: Doors, { checks, audit }: AdminDeps): void {
  doors.post(
    '/sealing/checks',
    {
      config: BY_ADMIN,
      schema: {
        operationId: 'startCheck',
        summary: 'Check all evidence',
        description:
          'Recomputes everything from raw bytes, as acuse fsck does, while the service works; it changes nothing. 409 while one is running.',
        response: { 202: CheckSchema, ...errorAnswers('conflict') },
        answers: { 202: { headers: LOCATION } },
      },
    },
    async (request, reply) => {
      const check = await audit.change(request, { action: 'sealing.check' }, async () => {
        const started = await checks.start(nameOf(request));
        return { answer: presentCheck(started), subject: started.checkId };
      });
      return reply.code(202).header('Location', `/v1/admin/sealing/checks/${check.id}`).send(check);
    },
  );

  doors.get(
    '/sealing/checks',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'listChecks',
        summary: 'List checks of the evidence',
        description: 'Newest first.',
        querystring: closed(PAGE_QUERY),
        response: { 200: pageSchema(CheckSchema) },
      },
    },
    async (request) => {
      const page = parsePage(request);
      const rows = await checks.list(page.afterId, page.fetch);
      return toPage(rows, page, (row) => row.checkId, presentCheck);
    },
  );

  doors.get(
    '/sealing/checks/:id',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'getCheck',
        summary: 'Read a check of the evidence',
        description: 'With its progress while it runs.',
        params: ID_PARAMS,
        response: { 200: CheckSchema, ...errorAnswers('not_found') },
      },
    },
    async (request) => presentCheck(await checks.read(request.params.id)),
  );
}
