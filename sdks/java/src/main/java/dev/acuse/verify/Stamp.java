package dev.acuse.verify;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** True if a time-stamp holds under one authority. RFC 3161 §2.4, RFC 5816 §2.2 */
final class Stamp {
  private static final String CONTENT_TYPE = "1.2.840.113549.1.9.3";
  private static final String MESSAGE_DIGEST = "1.2.840.113549.1.9.4";
  private static final String ESS_V2 = "1.2.840.113549.1.9.16.2.47";
  private static final String ESS_V1 = "1.2.840.113549.1.9.16.2.12";
  private static final String TIME_STAMPING = "1.3.6.1.5.5.7.3.8";
  private static final int MAX_EXTRA = 32;
  private static final int MAX_LENGTH = 8;
  private static final int MAX_SIGNATURES = 48;

  /** A time-stamp that holds, with its chain from the signer to the root. */
  record Held(Instant time, List<Cert> chain, Policy.Authority authority) {}

  private final Token token;
  private final Policy.Authority authority;
  private final List<Cert> candidates;
  private final Instant at;
  private int signaturesLeft = MAX_SIGNATURES;

  private Stamp(Token token, Policy.Authority authority, List<byte[]> extra, Instant at) {
    this.token = token;
    this.authority = authority;
    this.at = at;
    List<byte[]> all = new ArrayList<>(token.certificates);
    all.addAll(extra.subList(0, Math.min(extra.size(), MAX_EXTRA)));
    this.candidates = Cert.readable(all);
  }

  /** at: when the chain must hold too, or null. Throws if the time-stamp does not hold. */
  static Held check(
      Token token, byte[] imprint, String hash, Policy.Authority authority, Chain extra) {
    Stamp stamp = new Stamp(token, authority, extra.ders, extra.at);
    Refused.unless(!token.trailing, "bytes after the time-stamp");
    boolean granted = token.status == null || token.status <= 1;
    Refused.unless(granted, "the authority did not grant it");
    Cert signer = stamp.signer();
    stamp.checkUsage(signer);
    stamp.checkAssertion(imprint, hash);
    return new Held(token.time, stamp.chain(signer), authority);
  }

  /** Certificates beside the token, and when their chain must hold too. */
  record Chain(List<byte[]> ders, Instant at) {}

  private Cert signer() {
    Refused.unless(token.version == 3, "not SignedData version 3");
    Refused.unless(token.signerCount == 1, "not one signer");
    Refused.unless(Token.TST_INFO.equals(token.contentType), "not a TSTInfo");
    Der type = token.attribute(CONTENT_TYPE);
    boolean typed = type != null && Token.TST_INFO.equals(type.oid());
    Refused.unless(typed, "the content-type attribute is another");
    Refused.unless(token.digest != null, "a digest that is not SHA-2");
    Der digest = token.attribute(MESSAGE_DIGEST);
    Refused.unless(
        digest != null
            && Bytes.equal(
                digest.is(Der.OCTET_STRING).content(), Bytes.digest(token.digest, token.content)),
        "another message digest");
    for (Cert candidate : candidates) {
      boolean signed =
          token.isNamed(candidate)
              && Algorithms.verifies(
                  candidate.key, token.algorithm, token.digest, token.signedBytes, token.signature);
      if (signed) {
        checkBinding(candidate);
        return candidate;
      }
    }
    throw new Refused("not signed by the certificate that it names");
  }

  /** RFC 3161 §2.4.2, RFC 5816 §2.2.1 */
  private void checkBinding(Cert signer) {
    boolean any = false;
    for (String oid : List.of(ESS_V2, ESS_V1)) {
      if (token.attributes.containsKey(oid)) {
        any = true;
        Der value = token.attribute(oid);
        Refused.unless(
            value != null && binds(value, signer, oid.equals(ESS_V2)), "ESSCertID of another");
      }
    }
    Refused.unless(any, "no ESSCertID");
  }

  private static boolean binds(Der value, Cert signer, boolean second) {
    List<Der> certs = value.fields().next(Der.SEQUENCE).children();
    if (certs.isEmpty()) {
      return false;
    }
    Der.Fields fields = certs.get(0).fields();
    Der algorithm = second ? fields.optional(Der.SEQUENCE) : null;
    byte[] stated = fields.next(Der.OCTET_STRING).content();
    Der issuerSerial = fields.optional(Der.SEQUENCE);
    fields.end();
    String hash = second ? "SHA-256" : "SHA-1";
    if (algorithm != null) {
      hash = Algorithms.HASHES.get(Algorithms.Identifier.read(algorithm).oid());
    }
    if (hash == null || !Bytes.equal(stated, Bytes.digest(hash, signer.der))) {
      return false;
    }
    if (issuerSerial == null) {
      return true;
    }
    Der.Fields names = issuerSerial.fields();
    List<Der> issuer = names.next(Der.SEQUENCE).children();
    byte[] serial = names.any().integer();
    names.end();
    return issuer.size() == 1
        && issuer.get(0).tag() == Der.context(4)
        && Bytes.equal(issuer.get(0).content(), signer.issuer)
        && Bytes.equal(serial, signer.serial);
  }

  private void checkUsage(Cert signer) {
    Refused.unless(!signer.purposes.isEmpty(), "the signer has no extended key usage");
    if (authority.profile().equals("nom151") && !authority.leafEku().isEmpty()) {
      boolean listed = authority.leafEku().containsAll(signer.purposes);
      Refused.unless(listed, "the signer has an extended key usage that is not pinned");
    } else {
      boolean alone = signer.purposes.equals(List.of(TIME_STAMPING)) && signer.purposesCritical;
      Refused.unless(alone, "the signer's extended key usage is not timeStamping alone, critical");
    }
    if (signer.keyUsage != null) {
      boolean signs = signer.may(Cert.DIGITAL_SIGNATURE) || signer.may(Cert.NON_REPUDIATION);
      Refused.unless(
          signs && !signer.may(Cert.CERT_SIGN), "the signer's key is for something else");
    }
  }

  private void checkAssertion(byte[] imprint, String hash) {
    Refused.unless(token.infoVersion == 1, "not TSTInfo version 1");
    boolean taken =
        hash.equals(token.hash)
            && authority
                .hashes()
                .contains(hash.toLowerCase(java.util.Locale.ROOT).replace("-", ""));
    Refused.unless(taken, "an imprint by another hash");
    Refused.unless(Bytes.equal(token.imprint, imprint), "stamped something else");
    boolean open = authority.profile().equals("rfc3161") && authority.policies().isEmpty();
    Refused.unless(open || authority.policies().contains(token.policy), "another policy");
  }

  /** The first chain to a pinned root that is sound at the time of the stamp. RFC 5280 §6 */
  private List<Cert> chain(Cert signer) {
    List<Cert> found = extend(List.of(signer));
    Refused.unless(found != null, "no sound chain to a pinned root");
    return found;
  }

  private boolean isPinned(Cert certificate) {
    return authority.roots().stream().anyMatch(certificate::is);
  }

  private List<Cert> extend(List<Cert> path) {
    Cert last = path.get(path.size() - 1);
    boolean pinned = isPinned(last);
    boolean end = pinned && Bytes.equal(last.subject, last.issuer);
    if (!end && path.size() < MAX_LENGTH) {
      List<Cert> issuers = new ArrayList<>(authority.roots());
      candidates.stream().filter(each -> !isPinned(each)).forEach(issuers::add);
      for (Cert issuer : issuers) {
        boolean named =
            Bytes.equal(issuer.subject, last.issuer) && path.stream().noneMatch(issuer::is);
        if (named && signaturesLeft-- > 0 && last.isSignedBy(issuer)) {
          List<Cert> longer = new ArrayList<>(path);
          longer.add(issuer);
          List<Cert> found = extend(longer);
          if (found != null) {
            return found;
          }
        }
      }
    }
    return pinned && isSound(path) ? path : null;
  }

  private boolean isSound(List<Cert> path) {
    int below = 0;
    for (int i = 0; i < path.size(); i++) {
      Cert each = path.get(i);
      boolean valid =
          each.isValidAt(token.time) && (at == null || each.isValidAt(at)) && !each.unknownCritical;
      if (!valid) {
        return false;
      }
      if (i > 0) {
        boolean authorised = each.authority && each.may(Cert.CERT_SIGN) && below <= each.pathLength;
        if (!authorised) {
          return false;
        }
        below += Bytes.equal(each.issuer, each.subject) ? 0 : 1;
      }
    }
    return true;
  }
}
