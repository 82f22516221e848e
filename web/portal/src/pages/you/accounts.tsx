import { useMe } from '../../../../shared/app/me.tsx';
import type { SessionAccount } from '../../../../shared/app/session.ts';
import { youWords } from '../../../../shared/app/you/words.ts';
import { useGo } from '../../../../shared/routing/link.tsx';
import { Button } from '../../../../shared/ui/button.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { Section } from '../../../../shared/ui/section.tsx';
import { Status } from '../../../../shared/ui/status.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useChooseAccount } from '../../parts/choose-account.ts';
import classes from './page.module.css';

/** The accounts that somebody belongs to, and the role. */
export function Accounts() {
  const words = useWords(youWords);
  const { session, account: open } = useMe();
  const choose = useChooseAccount();
  const go = useGo();
  if (session.accounts.length === 0) return null;
  const roles: Readonly<Record<string, string>> = words.roles;
  const states: Readonly<Record<string, string>> = words.states;
  const columns: readonly Column<SessionAccount>[] = [
    {
      id: 'account',
      head: words.account,
      cell: ({ id, name }) => (
        <>
          <strong>
            <Foreign text={name} />
          </strong>
          {id === open?.id && <span className={classes['tag']}>{words.working}</span>}
        </>
      ),
      main: true,
    },
    { id: 'role', head: words.role, cell: ({ role }) => roles[role] ?? role },
    {
      id: 'state',
      head: words.state,
      cell: ({ status }) => (
        <Status tone={status === 'active' ? 'sent' : 'failed'}>{states[status] ?? status}</Status>
      ),
    },
    {
      id: 'open',
      head: words.open,
      end: true,
      cell: ({ id, name }) =>
        id !== open?.id && (
          <Button
            kind="quiet"
            onClick={() => {
              choose(id);
              go('/');
            }}
          >
            {words.openNamed(name)}
          </Button>
        ),
    },
  ];
  return (
    <Section title={words.accounts} hint={words.accountsHint}>
      <Table label={words.accounts} columns={columns} rows={session.accounts} rowKey={({ id }) => id} />
    </Section>
  );
}
