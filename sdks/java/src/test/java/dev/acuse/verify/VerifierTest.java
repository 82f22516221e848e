package dev.acuse.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.acuse.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class VerifierTest {
  private static final Path VECTORS = Path.of("../../contract/vectors");

  @SuppressWarnings("unchecked")
  private static List<Map<String, Object>> cases() throws IOException {
    String text = Files.readString(VECTORS.resolve("bundles.json"));
    return (List<Map<String, Object>>) ((Map<String, Object>) Json.parse(text)).get("cases");
  }

  private static byte[] bundle(String file) throws IOException {
    return Files.readAllBytes(VECTORS.resolve("bundles").resolve(file));
  }

  @Test
  void everyGoodBundleIsValidAndNoBrokenOne() throws IOException {
    StringBuilder wrong = new StringBuilder();
    int count = 0;
    for (Map<String, Object> each : cases()) {
      String file = (String) each.get("file");
      Report report = Verifier.verify(bundle(file), Policy.TRUST_BUNDLE, null);
      boolean good = Boolean.TRUE.equals(each.get("valid"));
      Report.Check failed =
          report.checks().stream()
              .filter(check -> !Boolean.TRUE.equals(check.ok()))
              .findFirst()
              .orElse(null);
      boolean named =
          failed == null
              || failed.ok() == null
              || ((List<?>) each.get("failed")).contains(failed.name());
      boolean sound = good == report.verdict().equals(Report.VALID);
      if (!sound || !named) {
        wrong.append(file).append(": ").append(report.verdict()).append(' ').append(failed);
        wrong.append(" of ").append(each.get("failed")).append('\n');
      }
      count++;
    }
    assertEquals("", wrong.toString());
    assertTrue(count > 100);
  }

  /** Who packed it and the permissions of files: what the format leaves to the packer. */
  private static boolean isPackersOwn(byte[] zip, int place) {
    java.nio.ByteBuffer view =
        java.nio.ByteBuffer.wrap(zip).order(java.nio.ByteOrder.LITTLE_ENDIAN);
    int at = view.getInt(zip.length - 6);
    while (at < zip.length - 22) {
      int offset = place - at;
      if (offset == 4 || offset == 5 || offset >= 36 && offset < 42) {
        return true;
      }
      at += 46 + view.getShort(at + 28);
    }
    return false;
  }

  @Test
  void noSingleBitMayChange() throws IOException {
    byte[] good = bundle("good/stored.zip");
    java.util.Random random = new java.util.Random(12);
    for (int i = 0; i < 1000; i++) {
      byte[] changed = good.clone();
      int bit = random.nextInt(8 * changed.length);
      if (isPackersOwn(good, bit / 8)) {
        continue;
      }
      changed[bit / 8] ^= (byte) (1 << bit % 8);
      Report report = Verifier.verify(changed, Policy.TRUST_BUNDLE, null);
      assertNotEquals(Report.VALID, report.verdict(), "bit " + bit);
    }
  }

  @Test
  void aPinnedPolicyOfOthersRefuses() throws IOException {
    byte[] good = bundle("good/sealed.zip");
    String own = new String(Container.read(good).get("policy.json"), "UTF-8");
    assertEquals(
        Report.VALID, Verifier.verify(good, Policy.of(own.getBytes("UTF-8")), null).verdict());
    String none = own.replaceFirst("\"log_keys\":\\[[^]]*\\]", "\"log_keys\":[]");
    Report report = Verifier.verify(good, Policy.of(none.getBytes("UTF-8")), null);
    assertEquals(Report.INVALID, report.verdict());
    assertEquals("pinned", report.trust());
  }

  @Test
  void keysOfSmallOrderVerifyNothing() {
    for (String y : List.of("00", "01")) {
      byte[] material = new byte[32];
      material[0] = Byte.parseByte(y, 16);
      byte[] signature = new byte[64];
      signature[0] = 1;
      Key key = new Key("x", Key.LOG, new byte[4], material);
      assertFalse(key.verifies(signature, new byte[] {1}));
    }
  }
}
