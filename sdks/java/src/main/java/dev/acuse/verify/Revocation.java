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
  private static final String DELTA_INDICATOR = "2.5.29.27";

  private final Map<String, CrlFile> lists = new TreeMap<>();
  private final Map<String, Ocsp> answers = new TreeMap<>();
  private final Set<String> used = new TreeSet<>();
  private final Set<String> bad = new TreeSet<>();

  /** A certificate was, after a renewal by others. */
  boolean revokedLater;

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
    if (extensions != null) {
      RevokedEntry.extensions(extensions.unwrap()).forEach(Revocation::checkWhole);
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
  private static void checkWhole(String oid, RevokedEntry.Extension extension) {
    if (oid.equals(DISTRIBUTION_POINT)) {
      boolean whole =
          Der.only(extension.value()).children().stream()
              .allMatch(each -> each.tag() == Der.context(0));
      Refused.unless(whole, "a revocation list is limited");
    } else {
      Refused.unless(!oid.equals(DELTA_INDICATOR), "a revocation list of changes alone");
      Refused.unless(!extension.critical(), "a revocation list has an unknown critical extension");
    }
  }

  /**
   * Throws if a certificate was revoked at the time, or later, unless for a harmless reason or
   * after one of the renewals, those after it that hold; or if it is not shown to have been good
   * where the authority's policy asks for that.
   */
  void check(Stamp.Held stamp, List<Stamp.Held> renewals) {
    boolean required = stamp.authority().revocationRequired();
    check(stamp.chain(), stamp.time(), required, renewals);
  }

  /** chain: signer first. */
  void check(List<Cert> chain, Instant time, boolean required, List<Stamp.Held> renewals) {
    for (int i = 0; i + 1 < chain.size(); i++) {
      Cert certificate = chain.get(i);
      Status status = status(certificate, chain.get(i + 1), time);
      RevokedEntry revoked = status.revoked;
      if (revoked == null) {
        Refused.unless(!required || status.good, "nothing shows that a certificate was good");
        continue;
      }
      boolean later = revoked.since().isAfter(time);
      Refused.unless(later, "a certificate was revoked when it stamped");
      boolean covered =
          renewals.stream()
              .filter(each -> each.time().isBefore(revoked.since()))
              .anyMatch(each -> each.chain().stream().noneMatch(certificate::hasKeyOf));
      Refused.unless(
          covered, "a certificate was revoked later, and no renewal by others came before");
      revokedLater = true;
    }
  }

  /** revoked: the earliest that leaves open since when it was not good, or was before the time. */
  private static final class Status {
    boolean good;
    RevokedEntry revoked;

    void add(RevokedEntry said, boolean covers, Instant time) {
      if (said == null || said.harmless() && said.since().isAfter(time)) {
        good |= covers;
      } else if (revoked == null || said.since().isBefore(revoked.since())) {
        revoked = said;
      }
    }
  }

  private Status status(Cert certificate, Cert issuer, Instant time) {
    Status status = new Status();
    for (Map.Entry<String, CrlFile> each : lists.entrySet()) {
      CrlFile list = each.getValue();
      boolean concerns =
          Bytes.equal(list.issuer, issuer.subject)
              && issuer.may(Cert.CRL_SIGN)
              && Algorithms.verifies(issuer.key, list.algorithm, null, list.tbs, list.signature);
      if (!concerns) {
        continue;
      }
      Looked looked;
      try {
        looked = lookUp(list, certificate.serial);
      } catch (Refused malformed) {
        bad.add(each.getKey());
        continue;
      }
      used.add(each.getKey());
      boolean covers = looked.understood && covers(list.thisUpdate, list.nextUpdate, time);
      status.add(looked.revoked, covers, time);
    }
    for (Map.Entry<String, Ocsp> each : answers.entrySet()) {
      Ocsp.Single said = each.getValue().about(certificate, issuer);
      if (said == null) {
        continue;
      }
      used.add(each.getKey());
      boolean covers = said.known() && covers(said.thisUpdate(), said.nextUpdate(), time);
      status.add(said.revoked(), covers, time);
    }
    return status;
  }

  /** Such data has whole seconds. */
  private static boolean covers(Instant thisUpdate, Instant nextUpdate, Instant time) {
    Instant second = time.truncatedTo(ChronoUnit.SECONDS);
    return !thisUpdate.isBefore(second) || nextUpdate != null && !nextUpdate.isBefore(second);
  }

  /** What a list says of one certificate, null for nothing, and whether all of it is understood. */
  private record Looked(RevokedEntry revoked, boolean understood) {}

  private static Looked lookUp(CrlFile list, byte[] serial) {
    RevokedEntry revoked = null;
    boolean understood = true;
    for (int at = 0; at < list.entries.length; ) {
      Der entry = Der.at(list.entries, at);
      at += entry.whole().length;
      Der.Fields fields = entry.fields();
      boolean own = Bytes.equal(fields.any().integer(), serial);
      Der time = fields.any();
      Der extensions = fields.maybe();
      fields.end();
      if (!own && extensions == null) {
        continue;
      }
      RevokedEntry said = RevokedEntry.read(time.time(), extensions);
      understood &= said.understood();
      if (own) {
        revoked = revoked == null ? said : revoked.and(said);
      }
    }
    if (revoked != null && !understood) {
      revoked = new RevokedEntry(revoked.since(), false, false);
    }
    return new Looked(revoked, understood);
  }

  /** Throws if a piece concerns no certificate in the bundle. */
  void checkUsed() {
    List<String> idle = new ArrayList<>(bad);
    lists.keySet().stream().filter(name -> !used.contains(name)).forEach(idle::add);
    answers.keySet().stream().filter(name -> !used.contains(name)).forEach(idle::add);
    Refused.unless(idle.isEmpty(), "revocation data that concerns no certificate here");
  }
}
