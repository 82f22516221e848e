import { describeApi } from '../../src/app/describe-api.ts';
import { exampleVectors } from './example-vectors.ts';
import { webhookVectors } from './webhook-vectors.ts';

/** The vectors that are made with the server's own code, by the names of their files in contract/vectors. */
export function clientVectors(): Record<string, string> {
  const document = describeApi();
  return {
    'examples.json': lines(exampleVectors(document)),
    'webhooks.json': `${JSON.stringify(webhookVectors(document), null, 1)}\n`,
  };
}

/** A line for each schema: a diff shows which one changed. */
function lines(object: object): string {
  const entries = Object.entries(object).map(
    ([name, value]) => ` ${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  return `{\n${entries.join(',\n')}\n}\n`;
}
