import type { Config } from '../config/config-type.ts';

/** With port 0, the port taken. */
export function publicUrlAt(config: Config, port: number): string {
  return new URL(config.publicUrl).port === '0'
    ? `http://${loopbackOf(config.host)}:${port}`
    : config.publicUrl;
}

export function loopbackOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
