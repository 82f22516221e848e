export interface SystemMail {
  /**
   * Accepts a mail for sending; false when it cannot be sent now (no verified domain, a suppressed address),
   * so that a link has to be handed over. `key`: the same mail is accepted once.
   */
  send(mail: {
    to: string;
    subject: string;
    text: string;
    key: string;
    attachment?: { readonly filename: string; readonly content: Uint8Array };
  }): Promise<boolean>;
}
