import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiKeyWithSecret, ReadOnlyPart, Scope } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useMe } from '../../../../shared/app/me.tsx';
import { useShowOnce } from '../../../../shared/app/once.tsx';
import { Button } from '../../../../shared/ui/button.tsx';
import { Dialog } from '../../../../shared/ui/dialog.tsx';
import { CheckField, TextField } from '../../../../shared/ui/field.tsx';
import { CodeBlock } from '../../../../shared/ui/layout.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { uiWords } from '../../../../shared/ui/words.ts';
import { useWords } from '../../../../shared/words/use-words.ts';
import classes from './page.module.css';
import { keysWords } from './words.ts';

const SCOPES = [
  'messages:send',
  'evidence:read',
  'suppressions:write',
  'api_keys:write',
] as const satisfies readonly Scope[];

const PARTS = ['domains', 'webhooks'] as const satisfies readonly ReadOnlyPart[];

/** Asks for a name, scopes and what narrows it; then shows the key, once. */
export function CreateKey({ onClose }: { onClose: () => void }) {
  const words = useWords(keysWords);
  const ui = useWords(uiWords);
  const api = useApi();
  const queryClient = useQueryClient();
  const showOnce = useShowOnce();
  const { account } = useMe();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(['messages:send', 'evidence:read']);
  const [narrowing, setNarrowing] = useState<Narrowing>(NOT_NARROWED);
  const [asked, setAsked] = useState(false);
  const { busy, error, run } = useSubmission();
  // A key cannot grant what its maker lacks.
  const offered = SCOPES.filter((scope) => account?.scopes.includes(scope) === true);
  const submit = () => {
    setAsked(true);
    if (name.trim() === '' || scopes.length === 0) return;
    run(async () => {
      const made = await api.call<ApiKeyWithSecret>('POST', '/api-keys', {
        body: { name: name.trim(), scopes, ...asFields(narrowing) },
      });
      void queryClient.invalidateQueries({ queryKey: ['api-keys'] });
      onClose();
      await showOnce((done) => <Secret made={made} onClose={done} />);
    });
  };
  const foot = (
    <>
      <Button onClick={onClose}>{ui.cancel}</Button>
      <Button kind="primary" type="submit" busy={busy}>
        {words.create}
      </Button>
    </>
  );
  return (
    <Dialog title={words.create} foot={foot} onSubmit={submit} onClose={onClose}>
      {error !== null && <Refusal error={error} />}
      <TextField
        label={words.name}
        hint={words.nameHint}
        value={name}
        onChange={setName}
        error={asked && name.trim() === '' ? words.needsName : null}
      />
      <fieldset className={classes['group']}>
        <legend>{words.scopes}</legend>
        {offered.map((scope) => (
          <CheckField
            key={scope}
            label={`${scope} · ${words.scopeTexts[scope]}`}
            checked={scopes.includes(scope)}
            onChange={(checked) =>
              setScopes(checked ? [...scopes, scope] : scopes.filter((each) => each !== scope))
            }
          />
        ))}
        {asked && scopes.length === 0 && (
          <p className={classes['error']} role="alert">
            {words.needsScope}
          </p>
        )}
      </fieldset>
      <NarrowingFields value={narrowing} onChange={setNarrowing} />
    </Dialog>
  );
}

interface Narrowing {
  readonly senders: string;
  readonly networks: string;
  /** As a date field has it. */
  readonly until: string;
  readonly readOnly: readonly ReadOnlyPart[];
  readonly asks: boolean;
}

const NOT_NARROWED: Narrowing = { senders: '', networks: '', until: '', readOnly: [], asks: false };

function NarrowingFields({ value, onChange }: { value: Narrowing; onChange: (value: Narrowing) => void }) {
  const words = useWords(keysWords);
  const toggle = (part: ReadOnlyPart, checked: boolean) =>
    onChange({
      ...value,
      readOnly: checked ? [...value.readOnly, part] : value.readOnly.filter((each) => each !== part),
    });
  return (
    <details>
      <summary>{words.narrow}</summary>
      <div className={classes['narrowing']}>
        <TextField
          label={words.senders}
          hint={words.sendersHint}
          value={value.senders}
          onChange={(senders) => onChange({ ...value, senders })}
        />
        <TextField
          label={words.networks}
          hint={words.networksHint}
          value={value.networks}
          onChange={(networks) => onChange({ ...value, networks })}
        />
        <TextField
          label={words.until}
          hint={words.untilHint}
          type="date"
          value={value.until}
          onChange={(until) => onChange({ ...value, until })}
        />
        {PARTS.map((part) => (
          <CheckField
            key={part}
            label={words.readOnly[part]}
            checked={value.readOnly.includes(part)}
            onChange={(checked) => toggle(part, checked)}
          />
        ))}
        <CheckField
          label={words.asks}
          checked={value.asks}
          onChange={(asks) => onChange({ ...value, asks })}
        />
      </div>
    </details>
  );
}

/** The day ends when it has ended everywhere. */
function asFields({ senders, networks, until, readOnly, asks }: Narrowing): object {
  const [from, at] = [listed(senders), listed(networks)];
  return {
    ...(from.length > 0 && { senders: from }),
    ...(at.length > 0 && { networks: at }),
    ...(until !== '' && { expires_at: `${until}T23:59:59-12:00` }),
    ...(readOnly.length > 0 && { read_only: readOnly }),
    ...(asks && { needs_approval: true }),
  };
}

function listed(text: string): string[] {
  return [...new Set(text.split(/[\s,;]+/).filter((each) => each !== ''))];
}

function Secret({ made, onClose }: { made: ApiKeyWithSecret; onClose: () => void }) {
  const words = useWords(keysWords);
  const snippet = `curl -sS ${location.origin}/v1/account \\\n  -H 'Authorization: Bearer ${made.key}'`;
  const foot = (
    <Button kind="primary" onClick={onClose}>
      {words.done}
    </Button>
  );
  // Without a cross: a slip must not lose it.
  return (
    <Dialog title={words.secretTitle} foot={foot} wide>
      <Notice tone="waiting">{words.secretText}</Notice>
      <CodeBlock text={made.key} label={words.secret} />
      <CodeBlock text={snippet} label={words.snippet} />
    </Dialog>
  );
}
