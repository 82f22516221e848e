package dev.acuse.verify;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Revocation lists and OCSP answers of a bundle, section 7 of the evidence format. */
final class Revocation {
  private static final int MAX_BYTES = 4 << 20;
  private static final String DISTRIBUTION_POINT = "2.5.29.28";

  private final Map<String, CrlFile> lists = new TreeMap<>();
  private final Map<String, Ocsp> answers = new TreeMap<>();
  private final Set<String> used = new TreeSet<>();
  private final Set<String> bad = new TreeSet<>();

  /** A complete CRL. RFC 5280 §5.1 */
  private record CrlFile(
      byte[] tbs,
      Algorithms.Identifier algorithm,
      byte[] signature,
      byte[] issuer,
      Instant thisUpdate,
      Instant nextUpdate,
      byte[] entries) {}

  Revocation(Map<String, byte[]> entries) {
    entries.forEach(
        (name, bytes) -> {
          if (!name.startsWith("revocation/")) {
            return;
          }
          try {
            if (name.endsWith(".ocsp")) {
              answers.put(name, Ocsp.read(bytes));
            } else {
              lists.put(name, read(bytes));
            }
          } catch (Refused malformed) {
            bad.add(name);
          }
        });
  }

  boolean isEmpty() {
    return lists.isEmpty() && answers.isEmpty() && bad.isEmpty();
  }

  private static CrlFile read(byte[] bytes) {
    Refused.unless(bytes.length <= MAX_BYTES, "a revocation list is too large");
    Der.Fields outer = Der.only(bytes).fields();
    Der tbs = outer.next(Der.SEQUENCE);
    Der algorithm = outer.next(Der.SEQUENCE);
    byte[] signature = outer.any().bits();
    outer.end();
    Der.Fields fields = tbs.fields();
    Der version = fields.optional(Der.INTEGER);
    Refused.unless(version == null || version.small() == 1, "a revocation list is not v2");
    boolean same = Bytes.equal(fields.next(Der.SEQUENCE).whole(), algorithm.whole());
    Refused.unless(same, "a revocation list names two algorithms");
    byte[] issuer = fields.next(Der.SEQUENCE).whole();
    Instant thisUpdate = fields.any().time();
    Der next = fields.optional(Der.UTC_TIME, Der.GENERALIZED_TIME);
    Der entries = fields.optional(Der.SEQUENCE);
    Der extensions = fields.optional(Der.context(0));
    fields.end();
    for (Der each : extensions == null ? List.<Der>of() : extensions.unwrap().children()) {
      checkWhole(each.fields());
    }
    return new CrlFile(
        tbs.whole(),
        Algorithms.Identifier.read(algorithm),
        signature,
        issuer,
        thisUpdate,
        next == null ? null : next.time(),
        entries == null ? new byte[0] : entries.content());
  }

  /** Throws for a list that leaves certificates out. RFC 5280 §5.2 */
  private static void checkWhole(Der.Fields extension) {
    String oid = extension.any().oid();
    Der flag = extension.optional(Der.BOOLEAN);
    boolean critical = flag != null && flag.bool();
    byte[] content = extension.next(Der.OCTET_STRING).content();
    extension.end();
    if (oid.equals(DISTRIBUTION_POINT)) {
      boolean whole =
          Der.only(content).children().stream().allMatch(each -> each.tag() == Der.context(0));
      Refused.unless(whole, "a revocation list is limited");
    } else {
      Refused.unless(!critical, "a revocation list has an unknown critical extension");
    }
  }

  /** Throws if a certificate was revoked at the time, or is not shown to have been good. */
  void check(Stamp.Held stamp) {
    check(stamp.chain(), stamp.time(), stamp.authority().revocationRequired());
  }

  /** chain: signer first. */
  void check(List<Cert> chain, Instant time, boolean required) {
    boolean unclear = false;
    for (int i = 0; i + 1 < chain.size(); i++) {
      Boolean good = status(chain.get(i), chain.get(i + 1), time);
      Refused.unless(good == null || good, "a certificate was revoked when it stamped");
      unclear |= good == null;
    }
    Refused.unless(!required || !unclear, "nothing shows that a certificate was good");
  }

  /** True for good, false for revoked, null where nothing is known. */
  private Boolean status(Cert certificate, Cert issuer, Instant time) {
    Boolean good = null;
    for (Map.Entry<String, CrlFile> each : lists.entrySet()) {
      CrlFile list = each.getValue();
      boolean concerns =
          Bytes.equal(list.issuer, issuer.subject)
              && issuer.may(Cert.CRL_SIGN)
              && Algorithms.verifies(issuer.key, list.algorithm, null, list.tbs, list.signature);
      if (!concerns) {
        continue;
      }
      Instant revoked;
      try {
        revoked = revokedAt(list, certificate.serial);
      } catch (Refused malformed) {
        bad.add(each.getKey());
        continue;
      }
      used.add(each.getKey());
      if (revoked != null && !revoked.isAfter(time)) {
        return false;
      }
      good = covers(list.thisUpdate, list.nextUpdate, time) ? Boolean.TRUE : good;
    }
    for (Map.Entry<String, Ocsp> each : answers.entrySet()) {
      Ocsp.Single said = each.getValue().about(certificate, issuer);
      if (said == null) {
        continue;
      }
      used.add(each.getKey());
      if (said.revoked() != null && !said.revoked().isAfter(time)) {
        return false;
      }
      boolean covers = said.known() && covers(said.thisUpdate(), said.nextUpdate(), time);
      good = covers ? Boolean.TRUE : good;
    }
    return good;
  }

  /** Such data has whole seconds. */
  private static boolean covers(Instant thisUpdate, Instant nextUpdate, Instant time) {
    Instant second = time.truncatedTo(ChronoUnit.SECONDS);
    return !thisUpdate.isBefore(second) || nextUpdate != null && !nextUpdate.isBefore(second);
  }

  private static Instant revokedAt(CrlFile list, byte[] serial) {
    for (int at = 0; at < list.entries.length; ) {
      Der entry = Der.at(list.entries, at);
      at += entry.whole().length;
      Der.Fields fields = entry.fields();
      if (Bytes.equal(fields.any().integer(), serial)) {
        return fields.any().time();
      }
    }
    return null;
  }

  /** Throws if a piece concerns no certificate in the bundle. */
  void checkUsed() {
    List<String> idle = new ArrayList<>(bad);
    lists.keySet().stream().filter(name -> !used.contains(name)).forEach(idle::add);
    answers.keySet().stream().filter(name -> !used.contains(name)).forEach(idle::add);
    Refused.unless(idle.isEmpty(), "revocation data that concerns no certificate here");
  }
}
