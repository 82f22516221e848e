// Of the emitter for Go: a send as an item of a batch.
import { goName } from './go-names.mjs';

/** A send is an item of a batch but for its key. */
export function keyedCode({ fields }, send) {
  const item = fields.map(({ name }) => name).filter((name) => name !== 'idempotency_key');
  if (item.some((name) => !send.fields.some((field) => field.name === name)))
    throw new Error('go: a BatchItem is more than a Send');
  // Several a line: gofmt aligns those that have a line each.
  const moved = [...item.map(goName), 'Extra'].map((name) => `${name}: v.${name},`);
  moved.unshift('IdempotencyKey: idempotencyKey,');
  const lines = Array.from({ length: Math.ceil(moved.length / 4) }, (_, n) => moved.slice(4 * n, 4 * n + 4));
  return [
    '// Keyed makes an item of a batch of a send, under a key of yours ("" makes one).\n',
    'func (v Send) Keyed(idempotencyKey string) BatchItem {\n\treturn BatchItem{\n',
    ...lines.map((each) => `\t\t${each.join(' ')}\n`),
    '\t}\n}\n',
  ].join('');
}
