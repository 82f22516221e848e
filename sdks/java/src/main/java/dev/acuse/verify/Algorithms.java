package dev.acuse.verify;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Map;

/** Signatures of X.509 and CMS: SHA-2 with RSA or ECDSA, nothing else. */
final class Algorithms {
  static final Map<String, String> HASHES =
      Map.of(
          "2.16.840.1.101.3.4.2.1", "SHA-256",
          "2.16.840.1.101.3.4.2.2", "SHA-384",
          "2.16.840.1.101.3.4.2.3", "SHA-512");

  private static final Map<String, String> SIGNATURES =
      Map.of(
          "1.2.840.113549.1.1.11", "SHA256withRSA",
          "1.2.840.113549.1.1.12", "SHA384withRSA",
          "1.2.840.113549.1.1.13", "SHA512withRSA",
          "1.2.840.10045.4.3.2", "SHA256withECDSA",
          "1.2.840.10045.4.3.3", "SHA384withECDSA",
          "1.2.840.10045.4.3.4", "SHA512withECDSA");

  private static final String RSA = "1.2.840.113549.1.1.1";
  private static final String PSS = "1.2.840.113549.1.1.10";
  private static final String MGF1 = "1.2.840.113549.1.1.8";
  private static final String EC = "1.2.840.10045.2.1";
  private static final java.util.Set<String> CURVES =
      java.util.Set.of("1.2.840.10045.3.1.7", "1.3.132.0.34", "1.3.132.0.35");
  private static final int MIN_RSA = 2048;
  private static final int MAX_RSA = 8192;
  private static final int MAX_EXPONENT = 31;

  private Algorithms() {}

  /** Parameters are null where they are absent or NULL. */
  record Identifier(String oid, Der parameters) {
    static Identifier read(Der node) {
      Der.Fields fields = node.fields();
      String oid = fields.any().oid();
      Der parameters = fields.maybe();
      fields.end();
      boolean some = oid.equals(PSS) || oid.equals(MGF1) || oid.equals(EC);
      if (parameters == null || some) {
        return new Identifier(oid, parameters);
      }
      boolean none = parameters.tag() == Der.NULL && parameters.content().length == 0;
      Refused.unless(none, "an algorithm has parameters");
      return new Identifier(oid, null);
    }
  }

  /** A key that is taken here, or null for one of another kind or size. */
  static PublicKey key(Der spki) {
    Der.Fields fields = spki.fields();
    Identifier algorithm = Identifier.read(fields.any());
    byte[] bits = fields.any().bits();
    fields.end();
    try {
      X509EncodedKeySpec encoded = new X509EncodedKeySpec(spki.whole());
      if (algorithm.oid.equals(EC)) {
        boolean known =
            algorithm.parameters != null
                && algorithm.parameters.tag() == Der.OID
                && CURVES.contains(algorithm.parameters.oid());
        return known ? KeyFactory.getInstance("EC").generatePublic(encoded) : null;
      }
      if (!algorithm.oid.equals(RSA)) {
        return null;
      }
      Der.Fields rsa = Der.only(bits).fields();
      int size = rsa.any().unsigned().bitLength();
      BigInteger exponent = rsa.any().unsigned();
      rsa.end();
      boolean sized = size >= MIN_RSA && size <= MAX_RSA && exponent.bitLength() <= MAX_EXPONENT;
      boolean sound = sized && exponent.bitLength() >= 2;
      return sound ? KeyFactory.getInstance("RSA").generatePublic(encoded) : null;
    } catch (GeneralSecurityException malformed) {
      return null;
    }
  }

  /** hash: that of CMS, which is the signature's too, or null. RFC 5652 §5.4 */
  static boolean verifies(
      PublicKey key, Identifier algorithm, String hash, byte[] data, byte[] signature) {
    if (key == null) {
      return false;
    }
    try {
      Signature verifier = verifier(algorithm, hash);
      if (verifier == null || !verifier.getAlgorithm().contains(family(key))) {
        return false;
      }
      verifier.initVerify(key);
      verifier.update(data);
      return verifier.verify(signature);
    } catch (GeneralSecurityException | RuntimeException malformed) {
      return false;
    }
  }

  private static String family(PublicKey key) {
    return key.getAlgorithm().equals("EC") ? "ECDSA" : "RSA";
  }

  /** Null for what is not over SHA-2. */
  static Signature verifier(Identifier algorithm, String hash) throws GeneralSecurityException {
    String name = SIGNATURES.get(algorithm.oid);
    if (name == null && algorithm.oid.equals(RSA) && hash != null) {
      name = hash.replace("-", "") + "withRSA";
    }
    if (name != null) {
      boolean same = hash == null || name.startsWith(hash.replace("-", "") + "with");
      return same ? Signature.getInstance(name) : null;
    }
    return algorithm.oid.equals(PSS) && algorithm.parameters != null
        ? pss(algorithm.parameters, hash)
        : null;
  }

  /** Every default is SHA-1, so that all must be stated. RFC 4055 §3.1 */
  private static Signature pss(Der parameters, String digest) throws GeneralSecurityException {
    Der.Fields fields = parameters.fields();
    Der hashNode = fields.optional(Der.context(0));
    Der maskNode = fields.optional(Der.context(1));
    Der saltNode = fields.optional(Der.context(2));
    fields.end();
    if (hashNode == null || maskNode == null) {
      return null;
    }
    String hash = HASHES.get(Identifier.read(hashNode.unwrap()).oid);
    Identifier mask = Identifier.read(maskNode.unwrap());
    boolean one =
        hash != null
            && (digest == null || digest.equals(hash))
            && mask.oid.equals(MGF1)
            && mask.parameters != null
            && hash.equals(HASHES.get(Identifier.read(mask.parameters).oid));
    if (!one) {
      return null;
    }
    int salt = saltNode == null ? 20 : saltNode.unwrap().small();
    Signature verifier = Signature.getInstance("RSASSA-PSS");
    verifier.setParameter(new PSSParameterSpec(hash, "MGF1", new MGF1ParameterSpec(hash), salt, 1));
    return verifier;
  }
}
