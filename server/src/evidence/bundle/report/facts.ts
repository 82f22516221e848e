import type { PageAct } from '@acuse/evidence/acknowledgement-facts';
import type { DeliverySource } from '@acuse/evidence/delivery-facts';
import type { DeliveryKind } from '@acuse/evidence/delivery-kinds';

export interface ReportFacts {
  readonly messageId: string;
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
  readonly acceptedAt: string;
  readonly canonicalHash: string;
  readonly log: string;
  readonly logKey: string;
  readonly leafIndex: number;
  readonly treeSize: number;
  readonly rootHash: string;
  readonly constancia: ReportConstancia;
  readonly messageSealedAt: string | null;
  /** Entries with documents that authorities issued with their time-stamps. */
  readonly issued: readonly string[];
  readonly renewedAt: string | null;
  /** End of the first certificate in the newest chain. */
  readonly coveredUntil: string;
  readonly deliveries: readonly ReportDelivery[];
  /** The log's signed count and its time (RFC 3339); null: not shown. */
  readonly counted: { readonly count: number; readonly withheld: number; readonly time: string } | null;
  readonly verifyUrl: string;
}

interface ReportConstancia {
  readonly development: boolean;
  readonly genTime: string;
  readonly issuer: string;
  readonly policyOid: string;
  readonly serialNumber: string;
}

export interface ReportDelivery {
  readonly kind: DeliveryKind;
  /** A session's answer, our decision, or a mail's claim. */
  readonly source: DeliverySource;
  readonly occurredAt: string;
  /** The server that answered or, for a mail, delivered it. */
  readonly server: string | null;
  readonly reply: string | null;
  readonly tls: string | null;
  /** For a mail's claim only; null once erased. */
  readonly mail: ReportedMail | null;
  /** The recipient's own, on the page; null once erased. */
  readonly act?: PageAct;
  /** The domain that signed the recipient's own mail, with selector and algorithm. */
  readonly signedBy?: string;
}

export interface ReportedMail {
  /** RFC 7208 §2.6. */
  readonly spf: string;
  /** RFC 6376 §3.9, with the domains that signed. */
  readonly dkim: string;
  /** Links it to the server that accepted the message. */
  readonly vouchedBy: string | null;
  readonly claims: string;
}
