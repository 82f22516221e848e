import type { Metrics } from '../metrics.ts';
import type { Journal } from './journal.ts';

export function addJournalMetrics(metrics: Metrics, journal: Journal): void {
  metrics.gauge(
    'acuse_journal_waiting',
    'Entries of committed changes and sends that wait until the journal can be written.',
    () => journal.waiting(),
  );
  metrics.gauges(
    'acuse_journal_dropped',
    'Entries dropped since the start, because too many waited for the journal: notes, or keys of sends.',
    'of',
    async () => ({ ...journal.dropped() }),
  );
}
