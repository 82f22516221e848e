/** The public log as anybody reads it, `/log/`: without a session, bytes as they come. */
export interface LogReader {
  /** The first: a log with an ML-DSA-44 key has that on a second line. */
  key(): Promise<string>;
  checkpoint(): Promise<Uint8Array>;
  /** `path` as C2SP tlog-tiles has it; null: the log has no such tile. */
  tile(path: string): Promise<Uint8Array | null>;
  /** The document about the constancia over the checkpoint of this size; null: there is none. */
  certificate(size: number): Promise<unknown>;
}

/** No answer, or none that says anything; `status` 0: none at all. */
export class LogUnreachable extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`the log answered ${status}`);
    this.status = status;
  }
}

const PREFIX = '/log/';

export function openLog(): LogReader {
  /** Null: 404. Throws LogUnreachable. */
  async function read(path: string): Promise<Response | null> {
    // A cached checkpoint is the log's word as well, but an old one looks like a rollback.
    const answer = await fetch(PREFIX + path, { credentials: 'omit', cache: 'no-cache' }).catch(() => null);
    if (answer === null) throw new LogUnreachable(0);
    if (answer.ok) return answer;
    await answer.body?.cancel();
    if (answer.status === 404) return null;
    throw new LogUnreachable(answer.status);
  }

  async function must(path: string): Promise<Response> {
    const answer = await read(path);
    if (answer === null) throw new LogUnreachable(404);
    return answer;
  }

  const bytesOf = async (answer: Response) => new Uint8Array(await answer.arrayBuffer());
  return {
    key: async () => (await (await must('key')).text()).split('\n', 1)[0]!.trim(),
    checkpoint: async () => bytesOf(await must('checkpoint')),
    async tile(path) {
      const answer = await read(path);
      return answer && bytesOf(answer);
    },
    certificate: async (size) => (await read(`certificates/${size}`))?.json().catch(() => undefined) ?? null,
  };
}

/**
 * The policy of this service, JSON: a bundle that names nobody else is its own. Undefined where the server
 * cannot be asked: then no bundle is.
 */
export async function readOwnPolicy(signal?: AbortSignal): Promise<string | undefined> {
  try {
    const answer = await fetch(`${PREFIX}policy`, { credentials: 'omit', ...(signal && { signal }) });
    return answer.ok ? await answer.text() : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Signed notes of this server's logs about their ends: nothing is believed of them that does not verify. None
 * where the server cannot be asked: a bundle is verified all the same.
 */
export async function readLogEnds(signal?: AbortSignal): Promise<string[]> {
  try {
    const answer = await fetch(`${PREFIX}end`, { credentials: 'omit', ...(signal && { signal }) });
    const { ended } = (await answer.json()) as { ended?: unknown };
    const notes = Array.isArray(ended) ? ended.map((each) => (each as { note?: unknown } | null)?.note) : [];
    return notes.filter((note) => typeof note === 'string');
  } catch {
    return [];
  }
}
