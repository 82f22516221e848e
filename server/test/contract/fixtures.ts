import { newKey, type TestService } from '../support/service.ts';

/** Things of an account that tests need, made through the API itself. */
export function createTemplateFixture(service: () => TestService) {
  return {
    /** Returns the template's id. */
    async template(source: { subject: string; text?: string; html?: string }, key?: string): Promise<string> {
      const answer = await service().call('POST', '/v1/templates', {
        body: { name: newKey(), ...source },
        ...(key !== undefined && { key }),
      });
      return answer.body.id;
    },
  };
}
