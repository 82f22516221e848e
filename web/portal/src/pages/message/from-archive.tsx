import type { Message } from '../../../../shared/api/portal-types.ts';
import { useFormat } from '../../../../shared/format/format.ts';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { messageWords } from './words.ts';

/** Above what an archive alone has: reading it takes longer. */
export function FromArchive({ message: { content_archived_in: month } }: { message: Message }) {
  const words = useWords(messageWords);
  const format = useFormat();
  return month === undefined ? null : <Notice>{words.fromArchive(format.utcMonth(month))}</Notice>;
}
