import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { type Mailbox, MailboxError } from '../../shared/api/mailbox.ts';
import type { MailDetail } from '../../shared/api/portal-types.ts';
import { download } from '../../shared/format/download.ts';
import { useFormat } from '../../shared/format/format.ts';
import { Foreign } from '../../shared/ui/foreign.tsx';
import { useWords } from '../../shared/words/use-words.ts';
import { Source } from './source.tsx';
import { mailboxWords } from './words.ts';

const VIEWS = ['html', 'text', 'headers', 'source'] as const;
type View = (typeof VIEWS)[number];

export interface MailViewProps {
  readonly mailbox: Mailbox;
  readonly id: string;
  onBack(): void;
  onDelete(): Promise<void>;
}

/** One message: who, what came with it, and its body in four views. */
export function MailView({ mailbox, id, onBack, onDelete }: MailViewProps) {
  const words = useWords(mailboxWords);
  const [mail, setMail] = useState<MailDetail | null>(null);
  const [gone, setGone] = useState(false);
  const [chosen, setChosen] = useState<View | null>(null);
  useEffect(() => {
    mailbox.read(id).then(setMail, (error) => {
      if (!(error instanceof MailboxError)) throw error;
      setGone(true);
    });
  }, [mailbox, id]);
  const view = chosen ?? (mail?.html === null ? 'text' : 'html');
  return (
    <article className="mail">
      <p className="bar">
        <button type="button" className="back" onClick={onBack}>
          {words.back}
        </button>
        <span />
        <button type="button" onClick={async () => download(`${id}.eml`, await mailbox.bytes(id, null))}>
          {words.raw}
        </button>
        <button type="button" className="danger" onClick={() => void onDelete()}>
          {words.deleteOne}
        </button>
      </p>
      {gone && <p className="quiet">{words.gone}</p>}
      {mail !== null && (
        <>
          <h2>
            <Foreign text={mail.subject} none={words.noSubject} />
          </h2>
          <Facts mail={mail} />
          <Attachments mailbox={mailbox} mail={mail} />
          <Tabs view={view} onChoose={setChosen} />
          <div id="view" role="tabpanel" aria-labelledby={`tab-${view}`}>
            <Body mailbox={mailbox} mail={mail} view={view} />
          </div>
        </>
      )}
    </article>
  );
}

function Facts({ mail }: { mail: MailDetail }) {
  const words = useWords(mailboxWords);
  const format = useFormat();
  const over = mail.tls === null ? words.plain : words.tls(mail.tls.version);
  return (
    <dl>
      <dt>{words.from}</dt>
      <dd>
        <Foreign text={mail.from ?? ''} />
      </dd>
      <dt>{words.to}</dt>
      <dd>
        <Foreign text={mail.to ?? ''} />
      </dd>
      <dt>{words.envelope}</dt>
      <dd>
        <Foreign text={mail.mail_from} /> → <Foreign text={mail.rcpt_to} />
      </dd>
      <dt>{words.received}</dt>
      <dd>
        {format.dateTime(mail.received_at)}, {format.bytes(mail.size_bytes)}, {over}
      </dd>
    </dl>
  );
}

function Attachments({ mailbox, mail }: { mailbox: Mailbox; mail: MailDetail }) {
  const words = useWords(mailboxWords);
  const format = useFormat();
  if (mail.attachments.length === 0) return null;
  return (
    <ul className="attachments" aria-label={words.attachments}>
      {mail.attachments.map(({ filename, content_type, size_bytes }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the index is what names an attachment
        <li key={at}>
          <button
            type="button"
            title={words.download}
            onClick={async () => download(filename ?? `${mail.id}-${at}`, await mailbox.bytes(mail.id, at))}
          >
            <Foreign text={filename} none={words.unnamed} />
            <span className="quiet">
              {content_type}, {format.bytes(size_bytes)}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function Tabs({ view, onChoose }: { view: View; onChoose(view: View): void }) {
  const words = useWords(mailboxWords);
  const list = useRef<HTMLDivElement>(null);
  const step = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    const next = VIEWS[(VIEWS.indexOf(view) + by + VIEWS.length) % VIEWS.length]!;
    onChoose(next);
    list.current?.querySelector<HTMLElement>(`#tab-${next}`)?.focus();
  };
  return (
    <div ref={list} role="tablist" aria-label={words.views} className="tabs">
      {VIEWS.map((each) => (
        <button
          key={each}
          id={`tab-${each}`}
          type="button"
          role="tab"
          aria-selected={each === view}
          aria-controls="view"
          tabIndex={each === view ? 0 : -1}
          onClick={() => onChoose(each)}
          onKeyDown={step}
        >
          {words[each]}
        </button>
      ))}
    </div>
  );
}

function Body({ mailbox, mail, view }: { mailbox: Mailbox; mail: MailDetail; view: View }) {
  const words = useWords(mailboxWords);
  if (view === 'html')
    return mail.html === null ? (
      <p className="quiet">{words.noHtml}</p>
    ) : (
      <Preview mailbox={mailbox} id={mail.id} />
    );
  if (view === 'text')
    return mail.text === null ? (
      <p className="quiet">{words.noText}</p>
    ) : (
      <pre className="wrap">{mail.text}</pre>
    );
  if (view === 'source') return <Source mailbox={mailbox} id={mail.id} />;
  return (
    <dl className="headers">
      {mail.headers.map(({ name, value }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a field may occur twice, and their order stays
        <div key={at}>
          <dt>
            <Foreign text={name} />
          </dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The HTML as its reader would see it, where it can do nothing: see the policy of its answer. */
function Preview({ mailbox, id }: { mailbox: Mailbox; id: string }) {
  const words = useWords(mailboxWords);
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    mailbox.previewUrl(id).then(setUrl, () => setUrl(null));
  }, [mailbox, id]);
  if (url === null) return <div className="preview" />;
  return <iframe className="preview" title={words.frame} sandbox="" referrerPolicy="no-referrer" src={url} />;
}
