import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { apiError } from '../../errors.ts';
import { didYouMean } from '../edit-distance.ts';
import { readId } from '../ids.ts';

/**
 * Parses URLs the same way for every route. An unknown query parameter is refused, because ignoring it could
 * do harm (`certified=false` on a send). Values repeat or are separated by commas; ids may be in upper case.
 */

interface ParameterSchema {
  readonly properties?: Readonly<Record<string, { readonly type?: unknown }>>;
}

const SHOWN_NAME_CHARS = 64;

/** An onRoute hook. Pages are left alone: links to them carry tracking parameters. */
export function readUrlParameters(route: RouteOptions): void {
  if (route.schema?.hide === true && route.config?.scopes === undefined) return;
  const { properties = {} } = (route.schema?.querystring ?? {}) as ParameterSchema;
  const known = new Set(Object.keys(properties));
  const lists = Object.keys(properties).filter((name) => properties[name]!.type === 'array');
  const hasPathParameters = route.url.includes('/:');

  function read(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
    if (hasPathParameters) readIds(request.params as Record<string, string>);
    if (request.url.includes('?')) {
      const query = request.query as Record<string, string | string[]>;
      for (const name of Object.keys(query)) if (!known.has(name)) throw unknownParameter(route, name, known);
      for (const name of Object.keys(query)) if (!lists.includes(name)) refuseTwice(name, query[name]!);
      for (const name of lists) if (query[name] !== undefined) query[name] = valuesOf(query[name]);
    }
    done();
  }
  route.onRequest = [route.onRequest ?? [], read].flat();
}

function refuseTwice(name: string, given: string | string[]): void {
  if (Array.isArray(given))
    throw apiError('invalid_parameter', `${name} is given ${given.length} times: give it once.`);
}

function readIds(params: Record<string, string>): void {
  for (const name of Object.keys(params)) params[name] = readId(params[name]!) ?? params[name]!;
}

function valuesOf(given: string | string[]): string[] {
  return [given].flat().flatMap((each) => each.split(','));
}

function unknownParameter(route: RouteOptions, name: string, known: ReadonlySet<string>) {
  const given = name.slice(0, SHOWN_NAME_CHARS);
  const shown = JSON.stringify(given);
  const path = route.config?.knownAs ?? route.url;
  const operation = `${route.method} ${path.replace(/:([A-Za-z_]+)/g, '{$1}')}`;
  const inBody = bodyFields(route).includes(name) ? ', and send it in the body' : '';
  if (known.size === 0)
    return apiError('invalid_parameter', `${operation} takes no query parameters: remove ${shown}${inBody}.`);
  const meant = didYouMean(given, [...known]);
  const instead = meant === undefined ? '' : ` Did you mean ${meant}?`;
  return apiError(
    'invalid_parameter',
    `${shown} is not a query parameter of ${operation}, which takes ${[...known].join(', ')}.${instead}`,
  );
}

function bodyFields({ schema }: RouteOptions): string[] {
  const body = (schema?.body ?? {}) as ParameterSchema & {
    readonly content?: Readonly<Record<string, { readonly schema: ParameterSchema }>>;
  };
  const { properties = {} } = body.content?.['application/json']?.schema ?? body;
  return Object.keys(properties);
}

export function readIdParameter(name: string, given: string): string {
  const id = readId(given);
  if (id === null) throw apiError('invalid_parameter', `${name} must be an id: a UUID.`);
  return id;
}
