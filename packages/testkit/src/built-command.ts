import { inject } from 'vitest';
import './vitest-global-setup.ts';

/** Path of the command that the run built, for a test that starts it as people do. */
export function builtCommand(): string {
  const program = inject('serverProgram');
  if ('error' in program) throw new Error(`the server does not build: ${program.error}`);
  return program.path;
}
