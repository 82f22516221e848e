import { describe, expect, test } from 'vitest';
import { createTopLabels, OTHER } from '../../src/platform/top-labels.ts';

describe('labels of the most used names', () => {
  test('the first names have their own, the rest share one', () => {
    const labels = createTopLabels({ size: 2, onRemoved: () => {} });
    for (let n = 0; n < 5; n++) expect([labels.labelOf('a'), labels.labelOf('b')]).toEqual(['a', 'b']);
    expect(labels.labelOf('c')).toBe(OTHER);
    expect(labels.labelOf('a')).toBe('a');
  });

  test('a name that is clearly used more takes the place of the least used, once', () => {
    const removed: string[] = [];
    const labels = createTopLabels({ size: 2, onRemoved: (label) => removed.push(label) });
    for (let n = 0; n < 10; n++) labels.labelOf('big');
    for (let n = 0; n < 3; n++) labels.labelOf('small');
    const seen = Array.from({ length: 8 }, () => labels.labelOf('rising'));
    expect(seen).toEqual([...Array(5).fill(OTHER), ...Array(3).fill('rising')]);
    expect(removed).toEqual(['small']);
    expect(labels.labelOf('big')).toBe('big');
  });

  test('two names used alike do not push each other out again and again', () => {
    let removals = 0;
    const labels = createTopLabels({ size: 1, onRemoved: () => removals++ });
    for (let n = 0; n < 1_000; n++) {
      labels.labelOf('a');
      labels.labelOf('b');
    }
    expect(removals).toBe(0);
  });

  test('names without end leave few labels and bounded memory, and the most used keep theirs', () => {
    const labels = createTopLabels({ size: 5, onRemoved: () => {} });
    const own = new Set<string>();
    for (let n = 0; n < 120_000; n++) {
      own.add(labels.labelOf(`${n}.flood.test`));
      if (n % 10 === 0) expect(labels.labelOf('steady.test')).toMatch(/^(steady\.test|other)$/);
    }
    expect(labels.labelOf('steady.test')).toBe('steady.test');
    expect(own.size).toBeLessThan(50);
  });
});
