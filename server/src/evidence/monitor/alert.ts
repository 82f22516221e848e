/** What a monitor found wrong. */
export const ALERT_CODES = [
  /** Not a checkpoint that the log's key signed. */
  'checkpoint',
  /** The log has ended, and says which one goes on: signed by both. */
  'ended',
  /** The log shows less than it did. */
  'rollback',
  /** Two checkpoints, both signed, that are not of one history: proven, whatever else the log shows. */
  'fork',
  /**
   * The log does not show that two checkpoints are of one history; it may be that it shows its tree falsely.
   */
  'inconsistent',
  /** The entries that the log shows do not make up the tree that it signed. */
  'entries',
  /** A tile is not that of the tree. */
  'tile',
  /** An entry that was promised is not in the log, and the time is up. */
  'promise_broken',
  /** A constancia does not verify. */
  'constancia',
  /** A checkpoint has none, and should have. */
  'constancia_missing',
  /** A checkpoint that was seen is not among those that the log's constancias tell of. */
  'checkpoint_missing',
  /** A witness's line under a checkpoint is false. */
  'cosignature',
  /** Fewer witnesses cosigned than are asked for. */
  'witness_quorum',
  /** The log could not be asked. */
  'unavailable',
] as const;
export type AlertCode = (typeof ALERT_CODES)[number];

/** `notes`: signed checkpoints and promises that prove it to anybody. */
export interface Alert {
  readonly code: AlertCode;
  readonly detail: string;
  readonly notes?: readonly string[];
}

/** Beyond this many of one pass they are only counted. */
export const MAX_ALERTS = 100;

export interface Alerts {
  add(code: AlertCode, detail: string, notes?: readonly string[]): void;
  readonly list: readonly Alert[];
  /** More than the list holds when there are very many. */
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
