/** A statement that takes longer is cancelled: nothing here is meant to; fsck pages its reads. */
export const STATEMENT_TIMEOUT_MS = 60_000;
/** A transaction of which nothing is heard for so long is ended by the server. */
const IDLE_IN_TRANSACTION_MS = 8_000;

/**
 * What every session of ours has, whatever a role, a database or a configuration file says otherwise; of a
 * login of its own, which cannot ask for it, the role says so.
 */
export const SESSION_SETTINGS: readonly (readonly [name: string, value: string | number])[] = [
  // Dates go out as UTC text, so that a server's own time zone can never shift one.
  ['timezone', 'UTC'],
  // With `off` or `local` a commit waits for no standby; `remote_apply` would only wait longer.
  ['synchronous_commit', 'on'],
  // A wait that was interrupted is reported by a warning, and by nothing else.
  ['client_min_messages', 'warning'],
  // A process that was stopped, or vanished silently, in the middle of a transaction holds rows that others
  // wait for: none of ours does anything but SQL between its statements.
  ['idle_in_transaction_session_timeout', IDLE_IN_TRANSACTION_MS],
  // The other end is probed after 10 s, three times 5 s apart; says nothing to a Unix socket.
  ['tcp_keepalives_idle', 10],
  ['tcp_keepalives_interval', 5],
  ['tcp_keepalives_count', 3],
];

/** As a session asks for them when it begins. */
export function sessionOptions(role: string): string {
  return [['role', role] as const, ...SESSION_SETTINGS]
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}
