/**
 * What a person types here to run this program. npm starts it in a checkout, where a file runs it: in any
 * other folder `npx` would run whatever a registry has under that name. `env`: of the process.
 */
export function ownCommand(env: Readonly<Record<string, string | undefined>>): string {
  return env['npm_lifecycle_event'] === undefined ? 'acuse' : './acuse';
}
