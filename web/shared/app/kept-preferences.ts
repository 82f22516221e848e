import { useEffect } from 'react';
import { usePreferences } from './preferences.tsx';
import type { SessionUser } from './session.ts';

/** Preferences follow the person after signing in. */
export function useKeptPreferences({ id, locale, time_zone: timeZone }: SessionUser): void {
  const { change } = usePreferences();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a later choice here is the newer one
  useEffect(() => {
    change({ ...(locale !== null && { language: locale }), ...(timeZone !== null && { timeZone }) });
  }, [id]);
}
