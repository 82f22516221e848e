const OF_PEOPLE =
  /^\/(?:session|user|members|approvals|case-files|audit|settings|search|changes|onboarding|password|invitation-refusals|mailbox|usage|rates\/period|tail|templates\/preview|grants|messages\/[^/]+\/(?:preview|shares))/;

/** True if a key may make it as well: the portal's own routes are for people. */
export function isOfMachineApi(path: string): boolean {
  return !OF_PEOPLE.test(path);
}
