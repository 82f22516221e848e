import { useQuery } from '@tanstack/react-query';
import type { Account } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Link } from '../../../../shared/routing/link.tsx';
import { definePage } from '../../../../shared/routing/page.ts';
import { Hash } from '../../../../shared/ui/hash.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Facts, Panel, Stack } from '../../../../shared/ui/layout.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Status } from '../../../../shared/ui/status.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { accountQuery } from '../../parts/account-queries.ts';
import { FactorRule } from './factor-rule.tsx';
import { NameForm } from './name-form.tsx';
import { accountWords } from './words.ts';

function AccountPage() {
  const words = useWords(accountWords);
  const account = useQuery(accountQuery(useApi()));
  return (
    <>
      <PageHeading title={words.title} lead={words.lead} />
      <Loaded query={account} rows={8}>
        {(known) => <Shown account={known} />}
      </Loaded>
    </>
  );
}

function Shown({ account }: { account: Account }) {
  const words = useWords(accountWords);
  const format = useFormat();
  const { settings, status } = account;
  const records = settings.plain_record_days;
  const facts = [
    { name: words.id, value: <Hash value={account.id} what={words.id} /> },
    {
      name: words.state,
      value: <Status tone={status === 'active' ? 'sent' : 'failed'}>{words.states[status]}</Status>,
    },
    ...(account.sandbox ? [{ name: words.kind, value: words.sandbox }] : []),
    { name: words.since, value: format.date(account.created_at) },
  ];
  return (
    <Stack>
      <Panel title={words.general}>
        <Stack>
          <NameForm name={account.name} />
          <Facts facts={facts} />
        </Stack>
      </Panel>
      <FactorRule />
      <Panel title={words.operators} actions={<Link to="/usage">{words.toUsage}</Link>}>
        <Facts
          facts={[
            { name: words.default, value: settings.default_certified ? words.certified : words.plain },
            {
              name: words.quotas,
              value: words.quotaValue(
                format.number(settings.quota_messages_month),
                format.number(settings.quota_plain_messages_month),
              ),
            },
            ...(records === undefined
              ? []
              : [{ name: words.records, value: words.recordsValue(format.number(records)) }]),
          ]}
        />
      </Panel>
    </Stack>
  );
}

export const page = definePage({
  path: '/account',
  search: {},
  title: (language) => accountWords[language].title,
  queries: (api) => [accountQuery(api)],
  Page: AccountPage,
});
