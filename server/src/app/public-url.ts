import type { Config } from '../config/config-type.ts';

/** With port 0 the default URL cannot know the port: the one that was taken counts. */
export function publicUrlAt(config: Config, port: number): string {
  return new URL(config.publicUrl).port === '0'
    ? `http://${loopbackOf(config.host)}:${port}`
    : config.publicUrl;
}

/** Where a server that listens on this address answers its own machine. */
export function loopbackOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
