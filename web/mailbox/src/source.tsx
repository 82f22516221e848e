import { useEffect, useState } from 'react';
import type { Mailbox } from '../../shared/api/mailbox.ts';
import { useFormat } from '../../shared/format/format.ts';
import { useWords } from '../../shared/words/use-words.ts';
import { mailboxWords } from './words.ts';

/** More at once would block the browser (bytes). */
const SHOWN_BYTES = 512 * 1024;

/** The message as it was received, byte for byte where it is UTF-8. */
export function Source({ mailbox, id }: { mailbox: Mailbox; id: string }) {
  const words = useWords(mailboxWords);
  const format = useFormat();
  const [source, setSource] = useState<{ text: string; cut: boolean } | null>(null);
  useEffect(() => {
    let wanted = true;
    void mailbox
      .bytes(id, null)
      .then(async (blob) => {
        const text = await blob.slice(0, SHOWN_BYTES).text();
        if (wanted) setSource({ text, cut: blob.size > SHOWN_BYTES });
      })
      .catch(() => {});
    return () => {
      wanted = false;
    };
  }, [mailbox, id]);
  if (source === null) return <p className="quiet">{words.loading}</p>;
  return (
    <>
      {source.cut && <p className="quiet">{words.cut(format.bytes(SHOWN_BYTES))}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached with the keyboard */}
      <pre tabIndex={0}>{source.text}</pre>
    </>
  );
}
