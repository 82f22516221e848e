import { forgetNote, noteDestination, readNotes } from '../../delivery/operate/notes.ts';
import { presentNote } from '../../delivery/operate/present.ts';
import { apiError } from '../../errors.ts';
import { closed, errorAnswers, NoContent } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { BY_SUPPORT, nameOf } from './access.ts';
import type { AdminDeps } from './deps.ts';
import { NOTE_PARAMS, NoteRequest, NoteSchema, NotesSchema, SELECTION } from './queue-schemas.ts';

const PATH = '/queue/notes/:name/:note';
const SHOWN_MAX = 1_000;

/** `acuse queue notes`, `note` and `forget` over HTTP. */
export function noteRoutes(doors: Doors, deps: AdminDeps): void {
  doors.get(
    '/queue/notes',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'listDestinationNotes',
        summary: 'List the notes on destinations',
        description: `What delivery observes at a destination, as attempts showed or operators wrote; at most ${SHOWN_MAX}.`,
        querystring: closed({ destination: SELECTION.destination }),
        response: { 200: NotesSchema, ...errorAnswers('invalid_address') },
      },
    },
    async (request) => {
      const notes = await readNotes(deps, request.query.destination ?? null, SHOWN_MAX);
      return { data: notes.map(presentNote) };
    },
  );
  doors.put(
    PATH,
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'writeDestinationNote',
        summary: 'Write a note on a destination',
        description:
          "Replaces what was learned or noted of the same. Every delivery process obeys within seconds. no_tls is obeyed only where nothing demands TLS (MTA-STS, DANE). Limits are each delivery process's and source pool's.",
        params: NOTE_PARAMS,
        body: NoteRequest,
        response: { 200: NoteSchema, ...errorAnswers('invalid_address') },
      },
    },
    (request) => {
      const { name: destination, note } = request.params;
      const { value, days = null } = request.body;
      const reason = request.body.reason.trim();
      return deps.audit.change(request, { action: 'queue.note', reason, subject: destination }, async () => {
        const by = nameOf(request);
        const written = await noteDestination(deps, { destination, note, value, reason, by, days });
        return { answer: presentNote(written), after: { note, value, days } };
      });
    },
  );
  doors.delete(
    PATH,
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'deleteDestinationNote',
        summary: 'Take back a note on a destination',
        description: 'Learned or written; it may be learned again. 404 when there is none.',
        params: NOTE_PARAMS,
        response: { 204: NoContent, ...errorAnswers('invalid_address', 'not_found') },
      },
    },
    async (request, reply) => {
      const { name, note } = request.params;
      await deps.audit.change(request, { action: 'queue.forget', subject: name }, async () => {
        if (!(await forgetNote(deps, name, note)))
          throw apiError('not_found', `There is no note ${note} on ${name}.`);
        return { answer: null, before: { note } };
      });
      return reply.code(204).send(null);
    },
  );
}
