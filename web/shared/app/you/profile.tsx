import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { User } from '../../api/portal-types.ts';
import { nowIso } from '../../format/clock.ts';
import { createFormat } from '../../format/format.ts';
import { timeZones } from '../../format/zones.ts';
import { useLeaveGuard } from '../../routing/leave-guard.tsx';
import { Button } from '../../ui/button.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { Form, Panel, Stack } from '../../ui/layout.tsx';
import { Refusal, useSubmission } from '../../ui/refusal.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useWords } from '../../words/use-words.ts';
import { languageOf } from '../../words/words.ts';
import { useApi } from '../api-context.tsx';
import { keepAnswer } from '../keep-answer.ts';
import { DEFAULT_TIME_ZONE, type Theme, usePreferences } from '../preferences.tsx';
import { SESSION_KEY, type Session, type SessionUser } from '../session.ts';
import { useOwn } from './own.ts';
import { youWords } from './words.ts';

const Leave = lazy(() => import('./leave.tsx'));

type LanguageChoice = 'browser' | 'es' | 'en';

/** Name, language and time zone: kept with the person, in every browser. */
export function Profile({ user }: { user: SessionUser }) {
  const words = useWords(youWords);
  const kept = { name: user.name ?? '', locale: user.locale, zone: user.time_zone ?? DEFAULT_TIME_ZONE };
  const [name, setName] = useState(kept.name);
  const [email, setEmail] = useState(user.email);
  const [locale, setLocale] = useState(kept.locale);
  const [zone, setZone] = useState(kept.zone);
  const [asked, setAsked] = useState(false);
  const { busy, error, save } = useSave();
  const { path } = useOwn();
  const isOperator = path === '/operator';
  const hasNewEmail = email.trim() !== user.email;
  const changed = hasNewEmail || name.trim() !== kept.name || locale !== kept.locale || zone !== kept.zone;
  const guard = useLeaveGuard(() => changed && !busy);
  const noName = name.trim() === '' && kept.name !== '';
  const noEmail = email.trim() === '';
  const submit = () => {
    setAsked(true);
    if (noName || noEmail) return;
    const names = {
      ...(name.trim() !== '' && { name: name.trim() }),
      ...(hasNewEmail && { email: email.trim() }),
    };
    save({ ...names, locale, time_zone: zone });
  };
  return (
    <Panel title={words.profile}>
      <Form onSubmit={submit} label={words.profile}>
        {error !== null && <Refusal error={error} />}
        <TextField
          label={words.name}
          hint={isOperator ? words.nameOperator : words.nameHint}
          autoComplete="name"
          value={name}
          onChange={setName}
          error={asked && noName ? words.needsName : null}
        />
        {isOperator && (
          <TextField
            label={words.email}
            inputMode="email"
            autoComplete="email"
            value={email}
            onChange={setEmail}
            error={asked && noEmail ? words.needsEmail : null}
          />
        )}
        <SelectField<LanguageChoice>
          label={words.language}
          value={locale ?? 'browser'}
          choices={(['browser', 'es', 'en'] as const).map((value) => ({
            value,
            label: words.languages[value],
          }))}
          onChange={(choice) => setLocale(choice === 'browser' ? null : choice)}
        />
        <ZoneField value={zone} onChange={setZone} />
        <div>
          <Button kind="primary" type="submit" busy={busy}>
            {words.save}
          </Button>
        </div>
      </Form>
      <Suspense>{guard.asks && <Leave onLeave={guard.leave} onStay={guard.stay} />}</Suspense>
    </Panel>
  );
}

/** A saved change holds here at once. */
function useSave() {
  const api = useApi();
  const { path } = useOwn();
  const toast = useToast();
  const queryClient = useQueryClient();
  const { change } = usePreferences();
  const { busy, error, run } = useSubmission();
  const save = (body: { name?: string; email?: string; locale: User['locale']; time_zone: string }) =>
    run(async () => {
      const user = await api.call<User>('PATCH', path, { body });
      const session = queryClient.getQueryData<Session>(SESSION_KEY);
      if (session !== undefined) keepAnswer(queryClient, SESSION_KEY, { ...session, user });
      const language = user.locale ?? languageOf(navigator.languages);
      change({ language, timeZone: user.time_zone });
      toast(youWords[language].saved);
    });
  return { busy, error, save };
}

function ZoneField({ value, onChange }: { value: string; onChange: (zone: string) => void }) {
  const words = useWords(youWords);
  const { language } = usePreferences();
  const choices = useMemo(
    () => timeZones(value).map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') })),
    [value],
  );
  const there = createFormat(language, value).time(nowIso());
  return (
    <SelectField
      label={words.timeZone}
      hint={words.timeThere(there)}
      value={value}
      choices={choices}
      onChange={onChange}
    />
  );
}

/** Settings of this device only, on purpose. */
export function InThisBrowser() {
  const words = useWords(youWords);
  const { theme, singleKeys, change } = usePreferences();
  const themes: readonly Theme[] = ['system', 'light', 'dark'];
  return (
    <Panel title={words.browser}>
      <Stack>
        <SelectField
          label={words.theme}
          value={theme}
          choices={themes.map((value) => ({ value, label: words.themes[value] }))}
          onChange={(chosen) => change({ theme: chosen })}
        />
        <CheckField
          label={words.singleKeys}
          checked={singleKeys}
          onChange={(on) => change({ singleKeys: on })}
        />
      </Stack>
    </Panel>
  );
}
