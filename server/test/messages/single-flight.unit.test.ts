import { beforeEach, expect, test } from 'vitest';
import { createSingleFlight } from '../../src/messages/single-flight.ts';

interface Item {
  key: string | null;
  name: string;
}

/** A submitted job, and how a test ends it. */
let submitted: { name: string; resolve(outcome: string): void; reject(error: Error): void }[];
let submit: (item: Item) => Promise<string>;

beforeEach(() => {
  submitted = [];
  submit = createSingleFlight<Item, string>({
    submit: ({ name }) =>
      new Promise((resolve, reject) => {
        submitted.push({ name, resolve, reject });
      }),
    keyOf: ({ key }) => key,
    follow: (outcome) => (outcome === 'refused' ? null : 'claimed'),
  });
});

const names = () => submitted.map(({ name }) => name);
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a hundred with one key are one submission and a hundred answers', async () => {
  const answers = Array.from({ length: 100 }, (_, at) => submit({ key: 'k', name: String(at) }));
  expect(names()).toEqual(['0']);
  submitted[0]!.resolve('accepted');
  expect(await Promise.all(answers)).toEqual(['accepted', ...Array.from({ length: 99 }, () => 'claimed')]);
  const later = submit({ key: 'k', name: 'later' });
  expect(names()).toEqual(['0', 'later']);
  submitted[1]!.resolve('claimed');
  expect(await later).toBe('claimed');
});

test('when the first is refused the next tries, and the others follow that', async () => {
  const answers = ['a', 'b', 'c'].map((name) => submit({ key: 'k', name }));
  submitted[0]!.resolve('refused');
  await turn();
  expect(names()).toEqual(['a', 'b']);
  submitted[1]!.resolve('accepted');
  expect(await Promise.all(answers)).toEqual(['refused', 'accepted', 'claimed']);
});

test('what breaks the first is told to all, and keeps nothing', async () => {
  const answers = Promise.allSettled(['a', 'b'].map((name) => submit({ key: 'k', name })));
  submitted[0]!.reject(new Error('gone'));
  expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const alone = submit({ key: 'k', name: 'c' });
  submitted[1]!.reject(new Error('gone'));
  await expect(alone).rejects.toThrow('gone');
});

test('other keys, and none, wait for nobody', () => {
  for (const [name, key] of [
    ['a', 'k'],
    ['b', 'l'],
    ['c', null],
    ['d', null],
  ] as const)
    void submit({ key, name });
  expect(names()).toEqual(['a', 'b', 'c', 'd']);
});
