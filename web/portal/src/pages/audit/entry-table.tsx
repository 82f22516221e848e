import type { AuditEntry } from '../../../../shared/api/portal-types.ts';
import { accountActionWords } from '../../../../shared/audit/account-words.ts';
import { Link } from '../../../../shared/routing/link.tsx';
import { searchText } from '../../../../shared/routing/search.ts';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { Facts } from '../../../../shared/ui/layout.tsx';
import { type Column, Table, Whole } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { Changes } from './changes.tsx';
import classes from './page.module.css';
import { auditWords } from './words.ts';

export function EntryTable({ entries }: { entries: readonly AuditEntry[] }) {
  const words = useWords(auditWords);
  const columns: readonly Column<AuditEntry>[] = [
    {
      id: 'when',
      phone: 'mark',
      head: words.when,
      cell: ({ occurred_at: at }) => <Time iso={at} form="short" />,
    },
    {
      id: 'who',
      phone: 'below',
      head: words.who,
      cell: ({ actor: { name, kind } }) => (
        <div className={classes['who']}>
          <span>
            <Foreign text={name} />
          </span>
          <span className={classes['quiet']}>{words.kinds[kind]}</span>
        </div>
      ),
    },
    { id: 'what', phone: 'lead', head: words.what, cell: (entry) => <What entry={entry} />, main: true },
    {
      id: 'from',
      head: words.from,
      cell: ({ client_address: address }) =>
        address !== null && (
          <code>
            <Foreign text={address} />
          </code>
        ),
    },
  ];
  return <Table unfolds label={words.title} columns={columns} rows={entries} rowKey={({ id }) => id} />;
}

/** A sentence, what it was done to, before and after; the ids folded. */
function What({ entry }: { entry: AuditEntry }) {
  const words = useWords(auditWords);
  const { action, target, before, after, id, actor, request_id: requestId } = entry;
  const known: Readonly<Record<string, string>> = useWords(accountActionWords).actions;
  const facts = [
    { name: words.entryId, value: <code>{id}</code> },
    ...(actor.id === null ? [] : [{ name: words.actorId, value: <code>{actor.id}</code> }]),
    ...(requestId === null ? [] : [{ name: words.requestId, value: <code>{requestId}</code> }]),
  ];
  return (
    <div className={classes['what']}>
      <Whole className={classes['sentence']}>
        <strong>{known[action] ?? <code>{action}</code>}</strong>
        {target !== null && <Target target={target} action={action} />}
      </Whole>
      <Changes before={before} after={after} />
      <details>
        <summary>{words.details}</summary>
        <Facts facts={facts} />
      </details>
    </div>
  );
}

/** Actions whose target is a message that is there to be opened. */
const OF_MESSAGES = /_(?:message|share|message_content)$/;

function Target({ target, action }: { target: string; action: string }) {
  const text = target.includes('@') ? <span>{target}</span> : <code>{target}</code>;
  if (OF_MESSAGES.test(action) && action !== 'revoke_share')
    return <Link to={`/messages/${target}`}>{text}</Link>;
  return <Link to={`/audit${searchText({ target, days: 'all' })}`}>{text}</Link>;
}
