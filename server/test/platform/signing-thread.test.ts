import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createSigningThread } from '../../src/platform/signing-thread.ts';

const started = vi.hoisted((): Worker[] => []);
vi.mock('node:worker_threads', async (original) => {
  const real = await original<typeof import('node:worker_threads')>();
  class RecordedWorker extends real.Worker {
    constructor(...given: ConstructorParameters<typeof Worker>) {
      super(...given);
      started.push(this);
    }
  }
  return { ...real, Worker: RecordedWorker };
});

const { privateKey } = generateKeyPairSync('ed25519');
const unexpected = (error: Error): never => {
  throw error;
};

beforeEach(() => {
  started.length = 0;
});

describe('signing in another thread', () => {
  it('gives each message the signature that this thread would give it, in order', async () => {
    const thread = createSigningThread(privateKey, unexpected);
    const messages = ['', 'a', 'acuse/promise/v1\n', 'x'.repeat(10_000)].map((text) => Buffer.from(text));
    expect((await thread.signAll(messages)).map(hex)).toEqual(messages.map(signedHere));
    expect(started).toHaveLength(1);
  });

  it('keeps calls apart that are under way at once, in one thread', async () => {
    const thread = createSigningThread(privateKey, unexpected);
    const calls = Array.from({ length: 20 }, (_, call) =>
      Array.from({ length: call }, (_, at) => Buffer.from(`${call} ${at}`)),
    );
    const answers = await Promise.all(calls.map(thread.signAll));
    expect(answers.map((signatures) => signatures.map(hex))).toEqual(
      calls.map((messages) => messages.map(signedHere)),
    );
    expect(started).toHaveLength(1);
  });

  it('signs here once its thread is lost, answers who waits, and tells of it once', async () => {
    const lost: string[] = [];
    const thread = createSigningThread(privateKey, (error) => lost.push(error.message));
    const messages = [Buffer.from('one'), Buffer.from('two')];
    const waiting = thread.signAll(messages);
    const ended = once(started[0]!, 'exit');
    await started[0]!.terminate();
    await ended;
    expect((await waiting).map(hex)).toEqual(messages.map(signedHere));
    expect((await thread.signAll(messages)).map(hex)).toEqual(messages.map(signedHere));
    expect(lost).toHaveLength(1);
    expect(started).toHaveLength(1);
  });

  it('says what is wrong with a key that nobody can sign with, and waits for nothing', async () => {
    const lost: string[] = [];
    const agreeing = generateKeyPairSync('x25519').privateKey;
    const thread = createSigningThread(agreeing, (error) => lost.push(error.message));
    for (let call = 0; call < 2; call++) await expect(thread.signAll([Buffer.from('one')])).rejects.toThrow();
    expect(lost).toHaveLength(1);
  });
});

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function signedHere(message: Uint8Array): string {
  return hex(sign(null, message, privateKey));
}
