import { apiError } from '../../errors.ts';

/** How long an authentication counts for what cannot be undone (ms). */
const STEP_UP_MS = 10 * 60 * 1000;

/** Throws reauthentication_required. */
export function assertRecentlyAuthenticated(authenticatedAt: Date, now: Date): void {
  if (now.getTime() - authenticatedAt.getTime() > STEP_UP_MS) throw apiError('reauthentication_required');
}
