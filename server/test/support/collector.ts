import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as OTLP/JSON has it, with its attributes by name. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly service: string;
}

/** answers: takes what comes; hangs: reads it and never answers; away: breaks off every connection. */
type Mood = 'answers' | 'hangs' | 'away';

/** An OTLP receiver that decodes what it is sent. */
export interface Collector {
  readonly url: string;
  mood: Mood;
  readonly spans: readonly ReceivedSpan[];
  /** All that came, as text. */
  text(): string;
  /** Requests that came, answered or not. */
  requests(): number;
  close(): Promise<void>;
}

export async function startCollector(mood: Mood = 'answers'): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const texts: string[] = [];
  let requests = 0;
  const server: Server = createServer((request, response: ServerResponse) => {
    requests += 1;
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      if (collector.mood !== 'answers') return;
      const text = Buffer.concat(parts).toString('utf8');
      texts.push(text);
      spans.push(...spansOf(text));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  server.on('connection', (socket) => {
    if (collector.mood === 'away') socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const collector: Collector = {
    mood,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    text: () => texts.join('\n'),
    requests: () => requests,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return collector;
}

// biome-ignore lint/suspicious/noExplicitAny: OTLP/JSON as it comes; a test fails on what is not there
type Json = any;

function spansOf(text: string): ReceivedSpan[] {
  return JSON.parse(text).resourceSpans.flatMap(({ resource, scopeSpans }: Json) => {
    const service = String(attributesOf(resource.attributes)['service.name']);
    return scopeSpans
      .flatMap((scope: Json) => scope.spans)
      .map((span: Json) => ({
        ...span,
        links: span.links ?? [],
        attributes: attributesOf(span.attributes),
        service,
      }));
  });
}

function attributesOf(list: Json): ReceivedSpan['attributes'] {
  return Object.fromEntries(
    list.map(({ key, value }: Json) => [
      key,
      value.stringValue ?? value.boolValue ?? Number(value.intValue ?? value.doubleValue),
    ]),
  );
}
