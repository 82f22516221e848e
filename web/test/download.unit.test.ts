import { afterEach, expect, test, vi } from 'vitest';
import { ADDRESS_LIVES_MS, download } from '../shared/format/download.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test('a file keeps its address until long after the click, and then gives its memory back', () => {
  vi.useFakeTimers();
  const done: string[] = [];
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:1');
  vi.spyOn(URL, 'revokeObjectURL').mockImplementation((address) => {
    done.push(`revoked ${address}`);
  });
  const link = {
    href: '',
    download: '',
    click: () => done.push(`clicked ${link.href} ${link.download}`),
  };
  vi.stubGlobal('document', { createElement: () => link });

  download('códigos.txt', new Blob(['a']));
  vi.advanceTimersByTime(ADDRESS_LIVES_MS - 1);
  expect(done).toEqual(['clicked blob:1 códigos.txt']);
  vi.advanceTimersByTime(1);
  expect(done).toEqual(['clicked blob:1 códigos.txt', 'revoked blob:1']);
});
