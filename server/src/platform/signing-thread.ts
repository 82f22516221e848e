import { type KeyObject, sign } from 'node:crypto';
import { Worker } from 'node:worker_threads';

/**
 * Ed25519 in a thread of its own, many signatures a call: one takes some 40 µs, which the thread that answers
 * requests has better use for. A call a signature would cost that thread as much as signing does; a call for
 * many costs next to nothing.
 */
export interface SigningThread {
  /** A signature (64 bytes) for each message, in order. Without its thread, this one signs. */
  signAll(messages: readonly Uint8Array[]): Promise<Uint8Array[]>;
}

const SIGNATURE_BYTES = 64;
/** A thread that signs needs next to no memory (MiB). */
const HEAP_MIB = 16;

/** `ends`: where each message ends in `bytes`. */
type Request = { id: number; bytes: Uint8Array; ends: Uint32Array };
type Answer = { id: number; signatures: Uint8Array };

/** As text, so that it is there whether the server runs as one bundle or from its sources. */
const THREAD = `
const { sign } = require('node:crypto');
const { parentPort, workerData } = require('node:worker_threads');
parentPort.on('message', ({ id, bytes, ends }) => {
  const signatures = new Uint8Array(${SIGNATURE_BYTES} * ends.length);
  let start = 0;
  for (let at = 0; at < ends.length; at++) {
    signatures.set(sign(null, bytes.subarray(start, ends[at]), workerData), ${SIGNATURE_BYTES} * at);
    start = ends[at];
  }
  parentPort.postMessage({ id, signatures }, [signatures.buffer]);
});
`;

/**
 * The thread starts with the first call, and holds no process up that wants to end. `onLost`: it ended, and
 * is not started again.
 */
export function createSigningThread(key: KeyObject, onLost: (error: Error) => void): SigningThread {
  const waiting = new Map<number, (answer: Answer | null) => void>();
  let worker: Worker | 'not started' | 'lost' = 'not started';
  let lastId = 0;

  function start(): Worker {
    const made = new Worker(THREAD, {
      eval: true,
      workerData: key,
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
    });
    const lost = (error: Error) => {
      if (worker === 'lost') return;
      worker = 'lost';
      onLost(error);
      for (const answer of waiting.values()) answer(null);
      waiting.clear();
    };
    made.on('message', (answer: Answer) => {
      waiting.get(answer.id)?.(answer);
      waiting.delete(answer.id);
    });
    made.on('error', lost);
    made.on('exit', (code) => lost(new Error(`the signing thread ended with ${code}`)));
    // After the listeners, for each of them holds the process up again.
    made.unref();
    return made;
  }

  function ask(messages: readonly Uint8Array[]): Promise<Answer | null> {
    if (worker === 'not started') worker = start();
    if (worker === 'lost') return Promise.resolve(null);
    const request = pack(++lastId, messages);
    worker.postMessage(request, [request.bytes.buffer, request.ends.buffer] as ArrayBuffer[]);
    return new Promise((resolve) => waiting.set(request.id, resolve));
  }

  return {
    async signAll(messages) {
      const answer = await ask(messages);
      if (answer === null) return messages.map((message) => sign(null, message, key));
      return messages.map((_, at) =>
        answer.signatures.subarray(SIGNATURE_BYTES * at, SIGNATURE_BYTES * (at + 1)),
      );
    },
  };
}

function pack(id: number, messages: readonly Uint8Array[]): Request {
  const ends = new Uint32Array(messages.length);
  let size = 0;
  for (let at = 0; at < messages.length; at++) {
    size += messages[at]!.length;
    ends[at] = size;
  }
  const bytes = new Uint8Array(size);
  for (let at = 0; at < messages.length; at++) bytes.set(messages[at]!, at === 0 ? 0 : ends[at - 1]!);
  return { id, bytes, ends };
}
