import type { DeliverySource } from '@acuse/evidence/delivery-facts';
import type { DeliveryKind } from '@acuse/evidence/delivery-kinds';

/** What a report says; the bundle lets a reader check every value. */
export interface ReportFacts {
  readonly messageId: string;
  /** From the sealed message; null once its content is erased. */
  readonly message: {
    readonly from: string;
    readonly to: string;
    readonly subject: string;
    readonly sha256: string;
  } | null;
  readonly parts: readonly {
    readonly filename: string | null;
    readonly mediaType: string;
    readonly size: number;
    readonly sha256: string;
  }[];
  /** RFC 3339. */
  readonly acceptedAt: string;
  readonly canonicalHash: string;
  readonly log: string;
  readonly leafIndex: number;
  readonly treeSize: number;
  readonly rootHash: string;
  readonly constancia: ReportConstancia;
  /** genTime of the constancia over this message alone. */
  readonly messageSealedAt: string | null;
  /** genTime of the newest renewal of the constancia. */
  readonly renewedAt: string | null;
  /** When the first certificate ends in the chain of the newest of both. */
  readonly coveredUntil: string;
  readonly deliveries: readonly ReportDelivery[];
  /** How many outcomes the log signed for, and when (RFC 3339); null: that is not shown. */
  readonly counted: { readonly count: number; readonly withheld: number; readonly time: string } | null;
  /** Page that verifies the bundle. */
  readonly verifyUrl: string;
}

export interface ReportConstancia {
  readonly development: boolean;
  readonly genTime: string;
  readonly issuer: string;
  readonly policyOid: string;
  readonly serialNumber: string;
}

export interface ReportDelivery {
  readonly kind: DeliveryKind;
  /** A server's answer in our own session, our own decision, or what a mail said. */
  readonly source: DeliverySource;
  readonly occurredAt: string;
  /** Host and address that answered; of a mail, those of the host that delivered it. */
  readonly server: string | null;
  readonly reply: string | null;
  readonly tls: string | null;
  /** Of what a mail said; null otherwise, and once that is erased. */
  readonly mail: ReportedMail | null;
}

export interface ReportedMail {
  /** RFC 7208 §2.6. */
  readonly spf: string;
  /** RFC 6376 §3.9, with the domains that signed. */
  readonly dkim: string;
  /** Something ties it to the server that took the message. */
  readonly vouchedBy: string | null;
  readonly claims: string;
}
