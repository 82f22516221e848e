/** Exchanges over a given fetch: where there is no Node. */
import { type HttpAnswer, HttpFailure, type HttpRequest, type Transport } from './transport.ts';

/** A fetch tells neither phases nor TLS failures: whatever fails before an answer may have been done. */
export function fetchTransport(fetch: typeof globalThis.fetch): Transport {
  return {
    exchange: (request) => exchange(request, fetch),
    close: () => {},
  };
}

async function exchange(request: HttpRequest, fetch: typeof globalThis.fetch): Promise<HttpAnswer> {
  const { signal, timeoutMs, idleTimeoutMs } = request;
  const control = new AbortController();
  let expired = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expire = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      expired = true;
      control.abort();
    }, ms);
  };
  const abort = () => control.abort(signal?.reason);
  const end = () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  };
  const failure = (cause: unknown, ms: number) => {
    end();
    if (signal?.aborted) return signal.reason;
    if (expired)
      return new HttpFailure('timeout', 'receive', `No answer within ${Math.round(ms)} ms.`, { cause });
    const said = cause instanceof Error ? cause.message : String(cause);
    return new HttpFailure('lost_answer', 'receive', `No whole answer: ${said}.`, { cause });
  };
  if (signal?.aborted) throw signal.reason;
  signal?.addEventListener('abort', abort, { once: true });
  expire(timeoutMs);
  let response: Response;
  try {
    response = await fetch(request.url, {
      method: request.method,
      headers: request.headers,
      redirect: 'manual',
      signal: control.signal,
      ...(request.body !== undefined && { body: request.body as Uint8Array<ArrayBuffer> }),
    });
  } catch (cause) {
    throw failure(cause, timeoutMs);
  }
  const headers = Object.fromEntries(
    [...response.headers].map(([name, value]) => [name.toLowerCase(), value]),
  );
  const read = async function* () {
    const expected =
      headers['content-encoding'] === undefined ? Number(headers['content-length']) : Number.NaN;
    let received = 0;
    if (idleTimeoutMs !== undefined) expire(idleTimeoutMs);
    try {
      for await (const chunk of chunksOf(response.body)) {
        received += chunk.length;
        if (idleTimeoutMs !== undefined) expire(idleTimeoutMs);
        yield chunk;
      }
    } catch (cause) {
      throw failure(cause, idleTimeoutMs ?? timeoutMs);
    } finally {
      end();
    }
    if (received < expected) throw new HttpFailure('lost_answer', 'receive', 'The answer was cut short.');
  };
  return { status: response.status, headers, body: read() };
}

async function* chunksOf(stream: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  if (stream === null) return;
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
