import {
  type Answer,
  codeOf,
  createAsk,
  describe,
  ERROR_MAX_BYTES,
  isDone,
  REQUEST_TIMEOUT_MS,
  type StoreSettings,
  StoreUnreachable,
} from './signed-request.ts';

/**
 * Objects in one S3-compatible bucket, read whole and written conditionally: nothing is overwritten unseen.
 * Requests are signed by Signature Version 4, the body included.
 */
export interface ObjectStore {
  readonly place: string;
  /** Null: no such object. Throws StoreUnreachable. */
  get(key: string, maxBytes: number): Promise<StoredObject | null>;
  /**
   * Replaces the object with this ETag, or (null) creates it. `lost`: somebody else changed it; `unknown`: no
   * clear answer. Throws StoreUnreachable on a refusal.
   */
  put(key: string, body: string | Uint8Array, replaces: string | null): Promise<Put>;
  /** Succeeds if there is no such object. Throws StoreUnreachable. */
  remove(key: string): Promise<void>;
  /** Throws ConditionsIgnored, StoreUnreachable. Asks once. */
  requireConditions(): Promise<void>;
}

type Put = 'written' | 'lost' | 'unknown';

interface StoredObject {
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly etag: string;
}

/** The store ignores conditions: two processes would both believe that they were first. */
export class ConditionsIgnored extends Error {
  override readonly name = 'ConditionsIgnored';
  constructor(place: string, what: string) {
    super(
      `the store of ${place} does not keep to conditional writes (${what}): use one that does, such as Amazon S3, MinIO or Ceph in a current version, or a folder`,
    );
  }
}

/** The object that tests conditions; it stays. */
const PROBE = 'acuse-conditional-writes';
const PROBE_TEXT = 'Acuse tests here whether this store keeps to If-Match and If-None-Match.\n';
/** An ETag that no object has. */
const OTHER_ETAG = '"00000000000000000000000000000000"';

export function openObjectStore(
  place: string,
  settings: StoreSettings,
  timeoutMs = REQUEST_TIMEOUT_MS,
): ObjectStore {
  const ask = createAsk(place, settings, timeoutMs);
  let probed: Promise<void> | null = null;

  async function put(
    key: string,
    body: string | Uint8Array,
    condition: Record<string, string>,
  ): Promise<Answer> {
    const headers = { 'content-type': 'application/octet-stream', ...condition };
    return ask(key, { method: 'PUT', body: body as BodyInit, headers }, ERROR_MAX_BYTES);
  }

  async function probe(): Promise<void> {
    const refuse = (what: string) => new ConditionsIgnored(place, what);
    const ifNone = { 'if-none-match': '*' };
    requireKnown(await put(PROBE, PROBE_TEXT, ifNone), [412, 409]);
    if (isDone(requireKnown(await put(PROBE, PROBE_TEXT, ifNone), [412, 409])))
      throw refuse('a second write with If-None-Match: * overwrote the first');
    if (isDone(requireKnown(await put(PROBE, PROBE_TEXT, { 'if-match': OTHER_ETAG }), [412, 409])))
      throw refuse('a write with If-Match replaced an object with another ETag');
    const { etag } = requireKnown(await ask(PROBE, { method: 'GET' }, ERROR_MAX_BYTES), []);
    if (etag === null) throw refuse('it gives no ETag');
    requireKnown(await put(PROBE, PROBE_TEXT, { 'if-match': etag }), [409]);
  }

  function requireKnown(answer: Answer, statuses: readonly number[]): Answer {
    if (isDone(answer) || statuses.includes(answer.status)) return answer;
    if (answer.status === 501) throw new ConditionsIgnored(place, 'it answers 501');
    throw new StoreUnreachable(describe(answer));
  }

  return {
    place,
    async get(key, maxBytes) {
      const answer = await ask(key, { method: 'GET' }, maxBytes);
      // A missing bucket must not look like a missing object.
      if (answer.status === 404 && codeOf(answer) === 'NoSuchKey') return null;
      requireKnown(answer, []);
      if (answer.etag === null) throw new StoreUnreachable('it gives no ETag');
      return { text: answer.bytes.toString('utf8'), bytes: answer.bytes, etag: answer.etag };
    },
    async put(key, body, replaces) {
      let answer: Answer;
      try {
        answer = await put(
          key,
          body,
          replaces === null ? { 'if-none-match': '*' } : { 'if-match': replaces },
        );
      } catch (error) {
        if (error instanceof StoreUnreachable) return 'unknown';
        throw error;
      }
      if (isDone(answer)) return 'written';
      // 409: a concurrent write. 404: the object is gone.
      if (answer.status === 412) return 'lost';
      if (answer.status === 404 && codeOf(answer) === 'NoSuchKey') return 'lost';
      if (answer.status === 409 || answer.status >= 500) return 'unknown';
      throw new StoreUnreachable(describe(answer));
    },
    async remove(key) {
      requireKnown(await ask(key, { method: 'DELETE' }, ERROR_MAX_BYTES), [404]);
    },
    requireConditions() {
      probed ??= probe().catch((error) => {
        // May succeed later.
        if (!(error instanceof ConditionsIgnored)) probed = null;
        throw error;
      });
      return probed;
    },
  };
}
