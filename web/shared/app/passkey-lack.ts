/** Why no passkey can be used on this page. */
export type PasskeyLack = 'secure' | 'name' | 'browser';

/** An address in place of a name: browsers keep passkeys for names alone. */
const ADDRESS = /^[\d.]+$|^\[/;

/** Null where they can be used. */
export function passkeyLack(): PasskeyLack | null {
  if (!isSecureContext) return 'secure';
  if (ADDRESS.test(location.hostname)) return 'name';
  const knows =
    'PublicKeyCredential' in window && 'parseCreationOptionsFromJSON' in window.PublicKeyCredential;
  return knows ? null : 'browser';
}
