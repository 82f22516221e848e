import { useCallback, useEffect, useRef, useState } from 'react';
import { type Mailbox, MailboxError } from '../../shared/api/mailbox.ts';
import type { MailSummary } from '../../shared/api/portal-types.ts';

/** How often the page asks whether something arrived, while it is seen (ms). */
const ASK_EVERY_MS = 2_000;
const PAGE_SIZE = 100;
/** How far a search reads on by itself (messages). */
export const SEARCHED_MAX = 1_000;

export interface MailList {
  /** Newest first; null until the first answer. */
  readonly mails: readonly MailSummary[] | null;
  readonly more: boolean;
  readonly error: MailboxError | null;
  /** How many came with the last change. */
  readonly arrived: number;
  reload(): Promise<void>;
  readMore(): Promise<void>;
}

/** The list, as it changes: what arrives appears, what was deleted elsewhere goes. */
export function useMail(mailbox: Mailbox): MailList {
  const [mails, setMails] = useState<readonly MailSummary[] | null>(null);
  const [cursor, setCursor] = useState<string | null>(null);
  const [error, setError] = useState<MailboxError | null>(null);
  const [arrived, setArrived] = useState(0);
  const known = useRef<readonly MailSummary[] | null>(null);
  known.current = mails;

  const answered = useCallback(async (ask: () => Promise<void>) => {
    try {
      await ask();
      setError(null);
    } catch (cause) {
      if (!(cause instanceof MailboxError)) throw cause;
      setError(cause);
    }
  }, []);

  const reload = useCallback(
    () =>
      answered(async () => {
        const page = await mailbox.list(PAGE_SIZE, null);
        const before = new Set(known.current?.map(({ id }) => id));
        const fresh = page.data.filter(({ id }) => !before.has(id)).length;
        setArrived(known.current === null ? 0 : fresh);
        setMails(page.data);
        setCursor(page.next_cursor);
      }),
    [mailbox, answered],
  );

  const readMore = useCallback(
    () =>
      answered(async () => {
        const page = await mailbox.list(PAGE_SIZE, cursor);
        setMails([...(known.current ?? []), ...page.data]);
        setCursor(page.next_cursor);
      }),
    [mailbox, cursor, answered],
  );

  useEffect(() => {
    void reload();
    const timer = setInterval(() => {
      if (document.visibilityState !== 'visible') return;
      void answered(async () => {
        // One row says whether anything changed at the top, which is where mail arrives.
        const { data } = await mailbox.list(1, null);
        if (data[0]?.id !== known.current?.[0]?.id) await reload();
      });
    }, ASK_EVERY_MS);
    return () => clearInterval(timer);
  }, [mailbox, reload, answered]);

  return { mails, more: cursor !== null, error, arrived, reload, readMore };
}
