// Every schema's examples pass as answers, and an essential field that is left out is noticed, no other.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OPERATIONS, SCHEMAS } from '../dist/contract-generated.js';
import { misfit } from '../dist/shapes.js';
import { vectors } from './support/vectors.mjs';

const file = vectors('examples.json');

describe('examples.json', { skip: file === null && 'contract/vectors is not here' }, () => {
  for (const [name, examples] of Object.entries(file ?? {})) {
    if (SCHEMAS[name] === undefined) continue;
    const { others = [], ...single } = examples;
    for (const [which, example] of [...Object.entries(single), ...others.entries()])
      it(`${name}, ${which}`, () => {
        assert.equal(misfit(example, name, SCHEMAS), undefined);
        for (const known of Object.keys(SCHEMAS[name])) {
          const field = known.replace('?', '');
          const { [field]: _, ...less } = example;
          const wrong = misfit(less, name, SCHEMAS);
          if (known === field) assert.match(wrong, new RegExp(`no ${field}$`));
          else assert.equal(wrong, undefined, field);
        }
      });
  }

  it('operations have distinct names and known shapes', () => {
    for (const [name, operation] of Object.entries(OPERATIONS)) {
      assert.equal(operation.name, name);
      const shape = operation.shape?.replace(/(\[\]|\{\})+$/, '');
      if (shape !== undefined && /^[A-Z]/.test(shape)) assert.ok(SCHEMAS[shape], shape);
    }
  });
});
