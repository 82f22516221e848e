package dev.acuse.verify;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A verifier key of a log (type 1), of a witness (type 4), or the second one of a log (type 6,
 * ML-DSA-44). C2SP signed-note
 */
record Key(String name, int type, byte[] id, byte[] material) {
  static final int LOG = 1;
  static final int WITNESS = 4;
  static final int SECOND = 6;
  private static final int MLDSA44_BYTES = 1312;
  private static final int MAX_NAME = 255;
  private static final Pattern LINE =
      Pattern.compile("([^+]+)\\+([0-9a-f]{8})\\+([0-9A-Za-z+/=]+)");
  private static final Pattern NO_NAME = Pattern.compile("[\\p{IsWhite_Space}\\p{Cc}+]");
  private static final BigInteger P = BigInteger.TWO.pow(255).subtract(BigInteger.valueOf(19));
  private static final byte[] SPKI = Bytes.fromHex("302a300506032b6570032100");

  /** The y-coordinates of the points of small order that are below the prime. */
  private static final List<BigInteger> SMALL =
      List.of(
          BigInteger.ZERO,
          BigInteger.ONE,
          P.subtract(BigInteger.ONE),
          y("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
          y("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"));

  private static BigInteger y(String littleEndianHex) {
    return yOf(Bytes.fromHex(littleEndianHex));
  }

  private static BigInteger yOf(byte[] point) {
    byte[] big = new byte[32];
    for (int i = 0; i < 32; i++) {
      big[i] = point[31 - i];
    }
    big[0] &= 0x7f;
    return new BigInteger(1, big);
  }

  /** One of a log. */
  static Key parseOfLog(String text) {
    Matcher line = LINE.matcher(text);
    byte[] material = line.matches() ? Bytes.base64(line.group(3)) : null;
    boolean second = material != null && material.length > 0 && material[0] == SECOND;
    return parse(text, second ? SECOND : LOG);
  }

  static Key parse(String text, int type) {
    Matcher line = LINE.matcher(text);
    Refused.unless(line.matches(), "not a verifier key");
    byte[] material = Bytes.base64(line.group(3));
    int size = 1 + (type == SECOND ? MLDSA44_BYTES : 32);
    boolean sized = material != null && material.length == size && material[0] == type;
    Refused.unless(sized, "a key of the wrong type or size");
    String name = line.group(1);
    Refused.unless(isName(name), "not a key name");
    byte[] id = Arrays.copyOf(Bytes.sha256(Bytes.utf8(name), new byte[] {'\n'}, material), 4);
    Refused.unless(Bytes.hex(id).equals(line.group(2)), "the key id is not this key's");
    return new Key(name, type, id, Arrays.copyOfRange(material, 1, size));
  }

  /** The same key as one of a witness, with which a log counts outcomes. */
  Key cosigner() {
    byte[] typed = Bytes.concat(new byte[] {WITNESS}, material);
    byte[] sum = Bytes.sha256(Bytes.utf8(name), new byte[] {'\n'}, typed);
    return new Key(name, WITNESS, Arrays.copyOf(sum, 4), material);
  }

  /** Without a port, and without the dot that a full name may end in. */
  String host() {
    String host = operator().split(":", 2)[0];
    return host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
  }

  static boolean isName(String name) {
    return !name.isEmpty() && !NO_NAME.matcher(name).find() && Bytes.utf8(name).length <= MAX_NAME;
  }

  /** The operator of a witness: the host that its name begins with. */
  String operator() {
    return name.split("/", 2)[0].toLowerCase(java.util.Locale.ROOT);
  }

  /** RFC 8032 §5.1.7, strictly: no key of small order, no second encoding of a point. */
  boolean verifies(byte[] signature, byte[] message) {
    if (signature.length != 64
        || material.length != 32
        || !isSound(material)
        || yOf(signature).compareTo(P) >= 0) {
      return false;
    }
    try {
      PublicKey key =
          KeyFactory.getInstance("Ed25519")
              .generatePublic(new X509EncodedKeySpec(Bytes.concat(SPKI, material)));
      Signature verifier = Signature.getInstance("Ed25519");
      verifier.initVerify(key);
      verifier.update(message);
      return verifier.verify(signature);
    } catch (GeneralSecurityException | RuntimeException malformed) {
      return false;
    }
  }

  /** The JDK takes keys of small order, for which a signature says nothing. */
  private static boolean isSound(byte[] point) {
    BigInteger y = yOf(point);
    return y.compareTo(P) < 0 && !SMALL.contains(y);
  }
}
