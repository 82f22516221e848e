/**
 * The client closed the connection before it had the answer: there is nobody to tell, and nothing of ours
 * failed.
 */
export class ClientGone extends Error {
  constructor() {
    super('The client disconnected before it had sent the whole request.');
    this.name = 'ClientGone';
  }
}

/** What such a request counts as in metrics and the log; no client ever reads it. */
export const CLIENT_GONE_STATUS = 499;
