import { describeConfig, loadConfig } from '../config/config.ts';
import { type Command, defineCommand } from './command.ts';

const show = defineCommand({
  name: 'config',
  summary: 'Lists every setting: variable, current value, accepted values and purpose',
  details: 'Settings come from environment variables only. Secrets are masked.',
  examples: ['acuse config', 'ACUSE_PORT=9000 acuse config --json'],
  async run({ out, env }) {
    const { config, warnings } = loadConfig(env);
    const settings = describeConfig(config, env);
    for (const warning of warnings) out.note(warning);
    out.answer({ settings, warnings }, () =>
      settings.map(({ name, value, source, expected, doc }) => [
        `${name}=${value ?? ''}${source === 'default' ? '' : '   (from the environment)'}`,
        `    ${doc}`,
        `    Takes ${expected}.`,
      ]),
    );
  },
});

export const configCommands: readonly Command[] = [show];
