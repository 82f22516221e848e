package dev.acuse.verify;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The statement about one revocation. RFC 5280 §5.3, RFC 6960 §4.4.5
 *
 * @param since the earlier of revocation and invalidity date
 * @param harmless it was good until then
 * @param understood no critical extension is unknown
 */
record RevokedEntry(Instant since, boolean harmless, boolean understood) {
  /**
   * Reasons by which a certificate was good until then: unspecified, affiliationChanged,
   * superseded, cessationOfOperation. After any other, and after none, nobody knows since when it
   * was not.
   */
  static final Set<Integer> GOOD_BEFORE = Set.of(0, 3, 4, 5);

  private static final String REASON_CODE = "2.5.29.21";
  private static final String INVALIDITY_DATE = "2.5.29.24";
  private static final int ENUMERATED = 0x0a;

  /** One extension. */
  record Extension(boolean critical, byte[] value) {}

  /** extensions: null for none. */
  static RevokedEntry read(Instant time, Der extensions) {
    Instant since = time;
    boolean harmless = false;
    boolean understood = true;
    for (Map.Entry<String, Extension> each : extensions(extensions).entrySet()) {
      byte[] value = each.getValue().value;
      if (each.getKey().equals(REASON_CODE)) {
        harmless = isHarmless(Der.only(value));
      } else if (each.getKey().equals(INVALIDITY_DATE)) {
        Instant invalid = Der.only(value).is(Der.GENERALIZED_TIME).time();
        since = invalid.isBefore(since) ? invalid : since;
      } else {
        understood &= !each.getValue().critical;
      }
    }
    return new RevokedEntry(since, harmless, understood);
  }

  /** Of a CRLReason. */
  static boolean isHarmless(Der reason) {
    byte[] content = reason.is(ENUMERATED).content();
    return content.length == 1 && GOOD_BEFORE.contains((int) content[0]);
  }

  /** By their OID. RFC 5280 §4.2 */
  static Map<String, Extension> extensions(Der sequence) {
    Map<String, Extension> found = new LinkedHashMap<>();
    if (sequence == null) {
      return found;
    }
    for (Der each : sequence.is(Der.SEQUENCE).children()) {
      Der.Fields fields = each.fields();
      String oid = fields.any().oid();
      Der flag = fields.optional(Der.BOOLEAN);
      boolean critical = flag != null && flag.bool();
      byte[] value = fields.next(Der.OCTET_STRING).content();
      fields.end();
      Refused.unless(found.put(oid, new Extension(critical, value)) == null, "an extension twice");
    }
    return found;
  }

  /** Of the same certificate. */
  RevokedEntry and(RevokedEntry other) {
    Instant earlier = other.since.isBefore(since) ? other.since : since;
    return new RevokedEntry(earlier, harmless && other.harmless, understood && other.understood);
  }
}
