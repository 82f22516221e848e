import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Verification } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { EveryCheck } from '../../../../shared/evidence/findings.tsx';
import { Link } from '../../../../shared/routing/link.tsx';
import { Button } from '../../../../shared/ui/button.tsx';
import { TextField } from '../../../../shared/ui/field.tsx';
import { Hash } from '../../../../shared/ui/hash.tsx';
import { Facts, Form, Panel, Stack } from '../../../../shared/ui/layout.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { Refusal } from '../../../../shared/ui/refusal.tsx';
import { Said } from '../../../../shared/ui/said.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import classes from './page.module.css';
import { verifyWords } from './words.ts';

/** As the server takes an id: what is asked is kept on record. */
const ASKED = /^[!-~]{1,64}$/;

interface Props {
  /** As the address holds it: filled in, and asked only when its reader says so, because it is on record. */
  readonly asked: string;
  readonly onAsk: (id: string) => void;
}

export default function ById({ asked, onAsk }: Props) {
  const words = useWords(verifyWords);
  const api = useApi();
  const [id, setId] = useState(asked);
  const [isWrong, setWrong] = useState(false);
  const verify = useMutation({
    mutationFn: (message_id: string) => api.call<Verification>('POST', '/verify', { body: { message_id } }),
  });
  const submit = () => {
    const given = id.trim();
    setWrong(!ASKED.test(given));
    if (!ASKED.test(given)) return;
    onAsk(given);
    verify.mutate(given);
  };
  const { data, error, isPending, variables } = verify;
  return (
    <Panel title={words.byId}>
      <p className={classes['lead']}>{words.byIdText}</p>
      <Stack>
        <Form onSubmit={submit} label={words.byId}>
          <TextField
            label={words.id}
            value={id}
            onChange={setId}
            mono
            error={isWrong ? words.needsId : null}
          />
          <div>
            <Button kind="primary" type="submit" busy={isPending}>
              {words.verify}
            </Button>
          </div>
        </Form>
        {error !== null && !isPending && <Refusal error={error} />}
        {data !== undefined && <Answer id={variables ?? ''} answer={data} />}
      </Stack>
    </Panel>
  );
}

function Answer({ id, answer }: { id: string; answer: Verification }) {
  const words = useWords(verifyWords);
  const { valid, checks, sealed_at: sealedAt, merkle_root: root, certificate_id: certificate } = answer;
  return (
    <Stack>
      <Notice tone={valid ? 'sent' : 'failed'} live>
        <strong>{valid ? words.valid : words.invalid}</strong>
        <p>
          <Link to={`/messages/${id}/evidence`}>{words.toEvidence}</Link>
        </p>
      </Notice>
      {valid && <LogEnd checks={checks} />}
      <Facts
        facts={[
          { name: words.sealedAt, value: <Time iso={sealedAt} form="utc" /> },
          { name: words.root, value: <Hash value={root} what={words.root} /> },
          { name: words.certificate, value: <Hash value={certificate} what={words.certificate} /> },
        ]}
      />
      <EveryCheck checks={checks} />
    </Stack>
  );
}

/** The server says when, at what size and what goes on. */
function LogEnd({ checks }: Pick<Verification, 'checks'>) {
  const words = useWords(verifyWords);
  const end = checks.find(({ name }) => name === 'log_end');
  if (end === undefined) return null;
  return (
    <Notice tone="waiting">
      {words.logEnded}
      <p>
        <Said text={end.detail} />
      </p>
    </Notice>
  );
}
