/**
 * What a person types here to run this program: npm, which knows where it is, names what it runs. `env`: of
 * the process.
 */
export function ownCommand(env: Readonly<Record<string, string | undefined>>): string {
  return env['npm_lifecycle_event'] === undefined ? 'acuse' : 'npx acuse';
}
