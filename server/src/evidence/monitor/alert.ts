export const ALERT_CODES = [
  'checkpoint',
  /** Ended, and the successor is named. */
  'ended',
  'rollback',
  /** Two signed checkpoints that contradict each other: proven. */
  'fork',
  /** The log does not prove consistency; its tiles may be wrong. */
  'inconsistent',
  /** The entries do not give the signed root. */
  'entries',
  'tile',
  /** Overdue. */
  'promise_broken',
  'constancia',
  'constancia_missing',
  /** A seen checkpoint is missing in the constancias' chain. */
  'checkpoint_missing',
  'cosignature',
  'witness_quorum',
  'unavailable',
] as const;
export type AlertCode = (typeof ALERT_CODES)[number];

export interface Alert {
  readonly code: AlertCode;
  readonly detail: string;
  readonly notes?: readonly string[];
}

/** Beyond it, alerts of a pass are only counted. */
const MAX_ALERTS = 100;

export interface Alerts {
  add(code: AlertCode, detail: string, notes?: readonly string[]): void;
  readonly list: readonly Alert[];
  /** May exceed the list. */
  readonly count: number;
}

export function createAlerts(): Alerts {
  const list: Alert[] = [];
  let count = 0;
  return {
    add(code, detail, notes) {
      count++;
      if (list.length < MAX_ALERTS) list.push({ code, detail, ...(notes !== undefined && { notes }) });
    },
    list,
    get count() {
      return count;
    },
  };
}
