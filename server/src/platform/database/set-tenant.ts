const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** As a command, which Citus passes on to the nodes of the transaction. It takes no parameter. */
export function setTenant(tenantId: string): string {
  if (!UUID.test(tenantId)) throw new RangeError(`not the id of an account: ${JSON.stringify(tenantId)}`);
  return `set local acuse.tenant_id = '${tenantId}'`;
}
