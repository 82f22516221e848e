/**
 * The command that starts this program here. In a checkout npm runs a local file; elsewhere `npx` would run
 * whatever a registry has under that name.
 */
export function ownCommand(env: Readonly<Record<string, string | undefined>>): string {
  return env['npm_lifecycle_event'] === undefined ? 'acuse' : './acuse';
}
