import { filePath, integer, webUrl } from './config-values.ts';
import type { Variables } from './variable.ts';

/** The certificate of the SMTP listeners, and who issues it, in the order of config-variables.ts. */
export const CERTIFICATE_VARIABLES = {
  tlsCertFile: {
    name: 'ACUSE_TLS_CERT_FILE',
    group: 'smtp',
    read: 'file_watched',
    type: filePath,
    doc: 'PEM file with the certificate for ACUSE_HOSTNAME and its chain, for the SMTP listeners. The sandbox creates its own.',
    optional: true,
  },
  tlsKeyFile: {
    name: 'ACUSE_TLS_KEY_FILE',
    group: 'smtp',
    read: 'file_watched',
    type: filePath,
    doc: "PEM file with the certificate's private key.",
    optional: true,
  },
  acmeDirectory: {
    name: 'ACUSE_ACME_DIRECTORY',
    group: 'smtp',
    type: webUrl,
    doc: 'Directory of the ACME authority that renews the certificate in ACUSE_TLS_CERT_FILE (RFC 8555). Processes with the role submission or return-path renew it when a third of its time is left. Default: none; something else renews it.',
    optional: true,
  },
  acmePort: {
    name: 'ACUSE_ACME_PORT',
    group: 'smtp',
    type: integer(1, 65_535, 'a port'),
    doc: 'Port that is open while the ACME authority checks ACUSE_HOSTNAME (http-01). It connects to port 80: with another one here, a proxy must pass /.well-known/acme-challenge/ on.',
    default: '80',
  },
} satisfies Variables;
