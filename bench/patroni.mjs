// Fail-over by Patroni: `npm run bench -- patroni [kills] [messages]`. As `failover`, on the three nodes that
// deploy/patroni describes: Patroni and PostgreSQL of the leader are killed with -9, Patroni elects, and the
// dead node comes back. The load is bounded, for an election takes the most of half a minute.
import { runOn } from './failover.mjs';
import { startPatroni } from './patroni-nodes.mjs';

/** Of each of the eight senders, between two messages. */
const PAUSE_MS = 400;

export const run = ([kills = 6, messages = 1_000]) =>
  runOn(startPatroni, { kills: Number(kills), messages: Number(messages), pauseMs: PAUSE_MS });
