import { request as httpRequest } from 'node:http';
import { expect } from 'vitest';
import { describeApi } from '../../src/app/describe-api.ts';
import { answerOf } from '../../src/surfaces/reference/document.ts';
import type { Operation } from '../../src/surfaces/reference/openapi.ts';
import { documentSchemas } from '../support/json-schema.ts';

/**
 * The document as somebody uses it who has nothing else: operations, and whether an answer is one that they
 * may give.
 */

export interface DocumentedOperation {
  readonly id: string;
  /** Upper case. */
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export const DOCUMENT = describeApi();
export const OPERATIONS: readonly DocumentedOperation[] = Object.entries(DOCUMENT.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      operation,
    })),
);
const schemas = documentSchemas(DOCUMENT);

export interface RawAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly body: Buffer;
}

/** Fails unless the answer is documented: its status, media type, body, code and header fields. */
export function expectDocumented({ id, operation }: DocumentedOperation, answer: RawAnswer): void {
  const said = `${id} answered ${answer.status} ${answer.body.subarray(0, 300)}`;
  const documented = operation.responses[String(answer.status)];
  expect(documented, `${said}, which is not documented`).toBeDefined();
  const { content = {}, headers = {} } = answerOf(DOCUMENT, documented!);
  for (const name of Object.keys(headers)) {
    if (OPTIONAL_HEADERS.has(name)) continue;
    expect(answer.headers[name.toLowerCase()], `${said} without ${name}`).toBeDefined();
  }
  if (Object.keys(content).length === 0) {
    expect(answer.body.length, said).toBe(0);
    return;
  }
  const type = String(answer.headers['content-type']).split(';', 1)[0];
  const media = Object.entries(content).find(([each]) => each.split(';', 1)[0] === type)?.[1];
  expect(media, `${said} as ${type}`).toBeDefined();
  if (type !== 'application/json') return;
  const body: unknown = JSON.parse(answer.body.toString('utf8'));
  expect(schemas.problem(media!.schema, body), said).toBeNull();
  const { error } = body as { error?: { code: string } };
  if (answer.status >= 400) expect(Object.keys(media!.examples ?? {}), said).toContain(error?.code);
}

/** There only where a limit is set, or where the code is the one that has them. */
const OPTIONAL_HEADERS = new Set([
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'Retry-After',
]);

export interface Ask {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  /** Says that the body is as long as this and sends none of it. */
  readonly declaredBytes?: number;
}

/** One request over a socket of its own. */
export function ask(
  baseUrl: string,
  { method, path, headers = {}, body, declaredBytes }: Ask,
): Promise<RawAnswer> {
  const length = declaredBytes ?? (body === undefined ? undefined : Buffer.byteLength(body));
  return new Promise((resolve, reject) => {
    const request = httpRequest(new URL(path, baseUrl), {
      method,
      agent: false,
      headers: {
        ...headers,
        ...(length !== undefined && { 'content-length': String(length) }),
      },
    });
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) });
        request.destroy();
      });
    });
    request.on('error', reject);
    if (declaredBytes === undefined) request.end(body);
    else request.flushHeaders();
  });
}
