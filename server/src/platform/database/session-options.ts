/** Longest statement (ms); fsck pages its reads. */
export const STATEMENT_TIMEOUT_MS = 60_000;
/** Longest idle time inside a transaction (ms). */
const IDLE_IN_TRANSACTION_MS = 8_000;

/**
 * Settings of every session, whatever a role, database or configuration file says. Logins of their own have
 * them on the role.
 */
export const SESSION_SETTINGS: readonly (readonly [name: string, value: string | number])[] = [
  // Dates as UTC text, independent of the server's time zone.
  ['timezone', 'UTC'],
  // `off` and `local` would not wait for a standby; `remote_apply` would wait longer for nothing.
  ['synchronous_commit', 'on'],
  // Only a warning reports an interrupted wait.
  ['client_min_messages', 'warning'],
  // A process that vanished inside a transaction holds rows that others need; ours only run SQL between
  // statements.
  ['idle_in_transaction_session_timeout', IDLE_IN_TRANSACTION_MS],
  // Probes the peer after 10 s, three times 5 s apart; no effect on a Unix socket.
  ['tcp_keepalives_idle', 10],
  ['tcp_keepalives_interval', 5],
  ['tcp_keepalives_count', 3],
];

export function sessionOptions(role: string): string {
  return [['role', role] as const, ...SESSION_SETTINGS]
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}
