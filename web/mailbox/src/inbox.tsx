import { type RefObject, useDeferredValue, useEffect, useRef, useState } from 'react';
import type { Mailbox, MailboxError } from '../../shared/api/mailbox.ts';
import type { MailSummary } from '../../shared/api/portal-types.ts';
import { useFormat } from '../../shared/format/format.ts';
import { Foreign } from '../../shared/ui/foreign.tsx';
import { useWords } from '../../shared/words/use-words.ts';
import { DeleteAll } from './delete-all.tsx';
import { MailView, type MailViewProps } from './mail-view.tsx';
import { Top } from './top.tsx';
import { useKeys } from './use-keys.ts';
import { type MailList, SEARCHED_MAX, useMail } from './use-mail.ts';
import { mailboxWords } from './words.ts';

const UNAUTHORIZED = 401;
const PATH = '/sandbox/mailbox';

const idInPath = () => new RegExp(`^${PATH}/([\\w-]+)$`).exec(location.pathname)?.[1] ?? null;

interface InboxProps {
  readonly mailbox: Mailbox;
  /** True if the portal's session opened it; a link then leads back there. */
  readonly fromPortal: boolean;
  onForget(wrong: boolean): void;
}

/** The list and, beside it or in its place, the message that is open; its id is in the address. */
export function Inbox({ mailbox, fromPortal, onForget }: InboxProps) {
  const words = useWords(mailboxWords);
  const list = useMail(mailbox);
  const { mails, more, error, arrived, reload, readMore } = list;
  const [query, setQuery] = useState('');
  const [openId, open] = useOpenId();
  const search = useRef<HTMLInputElement>(null);
  const found = useFound(list, useDeferredValue(query));
  useEffect(() => {
    if (error?.status === UNAUTHORIZED) onForget(true);
  }, [error, onForget]);

  const at = found.findIndex(({ id }) => id === openId);
  const step = (by: number) => {
    const next = found[Math.max(0, Math.min(found.length - 1, at + by))];
    if (next === undefined) return;
    open(next.id);
    document.getElementById(`mail-${next.id}`)?.scrollIntoView({ block: 'nearest' });
  };
  useKeys({
    next: () => step(1),
    previous: () => step(-1),
    search: () => search.current?.focus(),
    close: () => open(null),
  });
  const remove = async (id: string | null) => {
    await mailbox.remove(id);
    const neighbour = id === null ? undefined : (found[at + 1] ?? found[at - 1]);
    open(neighbour?.id ?? null);
    await reload();
  };
  return (
    <>
      <Top>
        <SearchField field={search} query={query} onChange={setQuery} />
        <DeleteAll onDelete={() => remove(null)} disabled={mails === null || mails.length === 0} />
        {fromPortal ? (
          <a className="button" href="/portal/">
            {words.portal}
          </a>
        ) : (
          <button type="button" onClick={() => onForget(false)}>
            {words.forget}
          </button>
        )}
      </Top>
      <p className="hidden" aria-live="polite">
        {arrived > 0 && words.arrived(arrived)}
      </p>
      {error !== null && <Trouble error={error} />}
      <main className="inbox" data-open={openId !== null}>
        <h1 className="hidden">{words.title}</h1>
        <section className="list" aria-label={words.list}>
          <Rows mails={mails === null ? null : found} openId={openId} onOpen={open} query={query} />
          {found.length === 0 && query !== '' && (
            <button type="button" onClick={() => setQuery('')}>
              {words.clear}
            </button>
          )}
          {more && query === '' && (
            <button type="button" onClick={() => void readMore()}>
              {words.more}
            </button>
          )}
        </section>
        <Reading mailbox={mailbox} id={openId} onBack={() => open(null)} onDelete={() => remove(openId)} />
      </main>
    </>
  );
}

/** The id in the address, which goes back and forth with the browser's buttons. */
function useOpenId(): [string | null, (id: string | null) => void] {
  const [openId, setOpenId] = useState(idInPath);
  useEffect(() => {
    const moved = () => setOpenId(idInPath());
    addEventListener('popstate', moved);
    return () => removeEventListener('popstate', moved);
  }, []);
  const open = (id: string | null) => {
    history.pushState(null, '', id === null ? PATH : `${PATH}/${id}`);
    setOpenId(id);
  };
  return [openId, open];
}

interface SearchFieldProps {
  readonly field: RefObject<HTMLInputElement | null>;
  readonly query: string;
  onChange(query: string): void;
}

function SearchField({ field, query, onChange }: SearchFieldProps) {
  const words = useWords(mailboxWords);
  return (
    <input
      ref={field}
      type="search"
      className="search"
      value={query}
      placeholder={words.search}
      aria-label={words.search}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

type ReadingProps = Omit<MailViewProps, 'id'> & { readonly id: string | null };

function Reading({ id, ...rest }: ReadingProps) {
  const words = useWords(mailboxWords);
  if (id === null) return <p className="choose quiet">{words.choose}</p>;
  return <MailView key={id} id={id} {...rest} />;
}

function Trouble({ error: { status } }: { error: MailboxError }) {
  const words = useWords(mailboxWords);
  return (
    <p className="trouble" role="alert">
      {status === 0 ? words.unreachable : words.refused(status)}
    </p>
  );
}

interface RowsProps {
  readonly mails: readonly MailSummary[] | null;
  readonly openId: string | null;
  readonly query: string;
  onOpen(id: string): void;
}

function Rows({ mails, openId, query, onOpen }: RowsProps) {
  const words = useWords(mailboxWords);
  const format = useFormat();
  if (mails === null) return <p className="quiet pad">{words.loading}</p>;
  if (mails.length === 0)
    return (
      <div className="nothing">
        <h2>{query === '' ? words.empty : words.nothing}</h2>
        <p className="quiet">
          {query === '' ? words.emptyMeans : words.nothingMeans(format.number(SEARCHED_MAX))}
        </p>
      </div>
    );
  return (
    <ul>
      {mails.map(({ id, from, mail_from, rcpt_to, subject, received_at }) => (
        <li key={id} id={`mail-${id}`}>
          <a
            href={`${PATH}/${id}`}
            aria-current={id === openId ? 'true' : undefined}
            onClick={(event) => {
              if (event.ctrlKey || event.metaKey) return;
              event.preventDefault();
              onOpen(id);
            }}
          >
            <span className="who">
              <Foreign text={rcpt_to} />
            </span>
            <time dateTime={received_at}>{format.relative(received_at)}</time>
            <b>
              <Foreign text={subject} none={words.noSubject} />
            </b>
            <span className="quiet">
              <Foreign text={from ?? mail_from} />
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Every word of the query, somewhere in what the list shows; reads on while there is more to search. */
function useFound({ mails, more, readMore }: MailList, query: string): readonly MailSummary[] {
  const asked = query.toLowerCase().split(/\s+/).filter(Boolean);
  const searching = asked.length > 0;
  const known = mails?.length ?? 0;
  useEffect(() => {
    if (searching && more && known < SEARCHED_MAX) void readMore();
  }, [searching, more, known, readMore]);
  if (mails === null || !searching) return mails ?? [];
  return mails.filter(({ from, to, mail_from, rcpt_to, subject }) => {
    const text = [from, to, mail_from, rcpt_to, subject].join('\n').toLowerCase();
    return asked.every((word) => text.includes(word));
  });
}
