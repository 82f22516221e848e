import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useMe } from '../../../../shared/app/me.tsx';
import { Link } from '../../../../shared/routing/link.tsx';
import { Button } from '../../../../shared/ui/button.tsx';
import { Panel, Row, Stack } from '../../../../shared/ui/layout.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Status } from '../../../../shared/ui/status.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { policyQuery } from './queries.ts';
import { accountWords } from './words.ts';

const ChangeRule = lazy(() => import('./change-rule.tsx'));

export function FactorRule() {
  const words = useWords(accountWords);
  const can = useCan();
  return (
    <Panel title={words.security}>
      <Stack>
        <p>{words.securityText}</p>
        {can.manageAccount === null ? (
          <Rule />
        ) : (
          <div>
            <Button unavailable={can.manageAccount}>{words.require}</Button>
          </div>
        )}
      </Stack>
    </Panel>
  );
}

function Rule() {
  const words = useWords(accountWords);
  const { user } = useMe().session;
  const policy = useQuery(policyQuery(useApi()));
  const [asked, setAsked] = useState(false);
  const hasOne = user.has_totp || user.has_passkeys === true;
  return (
    <Loaded query={policy} rows={1}>
      {({ require_second_factor: required }) => (
        <Stack>
          <Status tone={required ? 'sent' : 'neutral'}>
            {required ? words.required : words.notRequired}
          </Status>
          <Row>
            <Button unavailable={required || hasOne ? null : words.ownFirst} onClick={() => setAsked(true)}>
              {required ? words.release : words.require}
            </Button>
            {!required && !hasOne && <Link to="/you">{words.toYou}</Link>}
          </Row>
          <Suspense>{asked && <ChangeRule required={!required} onClose={() => setAsked(false)} />}</Suspense>
        </Stack>
      )}
    </Loaded>
  );
}
