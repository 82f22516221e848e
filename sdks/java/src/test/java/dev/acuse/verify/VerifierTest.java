package dev.acuse.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.acuse.ConfigurationException;
import dev.acuse.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class VerifierTest {
  private static final Path VECTORS = Path.of("../../contract/vectors");

  /** Something else: no verdict is given. */
  private static final List<String> NO_BUNDLES = List.of("broken/empty.zip", "broken/no-zip.zip");

  private static List<Map<String, Object>> cases() throws IOException {
    return vectors("cases");
  }

  @SuppressWarnings("unchecked")
  private static List<Map<String, Object>> vectors(String name) throws IOException {
    String text = Files.readString(VECTORS.resolve("bundles.json"));
    return (List<Map<String, Object>>) ((Map<String, Object>) Json.parse(text)).get(name);
  }

  @Test
  void comparesReceivedCopies() throws IOException {
    StringBuilder wrong = new StringBuilder();
    for (Map<String, Object> each : vectors("received")) {
      byte[] eml = Files.readAllBytes(VECTORS.resolve("received/" + each.get("file")));
      byte[] bundle = bundle((String) each.get("bundle"));
      Report.Copy copy = Verifier.verify(bundle, Policy.TRUST_BUNDLE, null, eml).copy();
      List<Object> said = List.of(copy.verdict(), copy.bytes(), copy.relaxed(), copy.parts());
      List<Object> wanted =
          List.of(each.get("verdict"), each.get("L0"), each.get("L1"), each.get("L2"));
      if (!said.equals(wanted)) {
        wrong.append(each.get("file")).append(said).append(wanted).append('\n');
      }
    }
    assertEquals("", wrong.toString());
  }

  private static byte[] bundle(String file) throws IOException {
    return Files.readAllBytes(VECTORS.resolve("bundles").resolve(file));
  }

  private static java.time.Clock clock(Map<String, Object> of) {
    java.time.Instant now = java.time.Instant.parse((String) of.get("now"));
    return java.time.Clock.fixed(now, java.time.ZoneOffset.UTC);
  }

  private static List<String> names(List<Report.Remark> remarks) {
    return remarks.stream().map(Report.Remark::name).toList();
  }

  private static List<Object> said(Report report) {
    return List.of(report.verdict(), names(report.reasons()), names(report.warnings()));
  }

  private static List<Object> wanted(Map<String, Object> of) {
    return List.of(of.get("verdict"), of.get("reasons"), of.get("warnings"));
  }

  @Test
  void everyGoodBundleIsValidAndNoBrokenOne() throws IOException {
    java.util.regex.Pattern oneRule =
        java.util.regex.Pattern.compile(
            "broken/(?:history|order|times|outcomes|openings-withheld|window|revoked|revocation|mldsa44"
                + "|witness-(?:own|time|too|of-outcome))-.*");
    StringBuilder wrong = new StringBuilder();
    int count = 0;
    for (Map<String, Object> each : cases()) {
      String file = (String) each.get("file");
      byte[] bytes = bundle(file);
      if (NO_BUNDLES.contains(file)) {
        assertThrows(
            NotABundleException.class, () -> Verifier.verify(bytes, Policy.TRUST_BUNDLE, null));
        continue;
      }
      Report report = Verifier.verify(bytes, Policy.TRUST_BUNDLE, null, null, clock(each));
      boolean good = Boolean.TRUE.equals(each.get("valid"));
      Report.Check failed =
          report.checks().stream()
              .filter(check -> !Boolean.TRUE.equals(check.ok()))
              .findFirst()
              .orElse(null);
      List<?> names = (List<?>) each.get("failed");
      List<?> allowed = oneRule.matcher(file).matches() ? names.subList(0, 1) : names;
      boolean named = failed == null || failed.ok() == null || allowed.contains(failed.name());
      boolean sound = good == report.valid() && report.verdict().equals(each.get("verdict"));
      if (!sound || !named || good && !said(report).equals(wanted(each))) {
        wrong.append(file).append(": ").append(said(report)).append(' ').append(failed);
        wrong.append(" of ").append(wanted(each)).append(names).append('\n');
      }
      count++;
    }
    assertEquals("", wrong.toString());
    assertTrue(count > 250);
  }

  @Test
  void tellsOfSecondSignaturesThatItDoesNotCheck() throws IOException {
    int count = 0;
    for (Map<String, Object> each : vectors("mldsa44")) {
      byte[] bundle = bundle((String) each.get("file"));
      Report report = Verifier.verify(bundle, Policy.TRUST_BUNDLE, null, null, clock(each));
      Map<?, ?> wanted = (Map<?, ?>) each.get("unchecked");
      List<Object> said = List.of(report.verdict().toString(), names(report.warnings()));
      List<Object> told = List.of(wanted.get("verdict"), wanted.get("warnings"));
      assertEquals(told, said, (String) each.get("file"));
      count++;
    }
    assertTrue(count >= 5);
  }

  @Test
  void theClockIsTheSystemsUnlessAnotherIsGiven() throws IOException {
    String file = "broken/times-future-count.zip";
    assertTrue(Verifier.verify(bundle(file), Policy.TRUST_BUNDLE, null).valid());
    Map<String, Object> of =
        cases().stream().filter(each -> file.equals(each.get("file"))).findFirst().orElseThrow();
    Report report = Verifier.verify(bundle(file), Policy.TRUST_BUNDLE, null, null, clock(of));
    assertEquals(List.of("times"), names(report.reasons()));
  }

  @Test
  void noTreeIsLargerOrOtherThanALogHadAtItsEnd() {
    byte[] kept = Bytes.sha256(new byte[] {1});
    byte[] published = Bytes.sha256(new byte[] {2});
    LogEnd end = new LogEnd(new LogEnd.Tree(3, kept), new LogEnd.Tree(5, published), null, null);
    for (long size : List.of(2L, 3L, 4L, 5L, 6L)) {
      boolean within = size == 2 || size == 4 || size == 5;
      Proof.Checkpoint tree = new Proof.Checkpoint("log", size, published);
      if (within) {
        end.assertWithin(tree);
      } else {
        assertThrows(Refused.class, () -> end.assertWithin(tree), size + " leaves");
      }
    }
    end.assertWithin(new Proof.Checkpoint("log", 3, kept));
  }

  @Test
  void aLogIsNotItsOwnWitnessHoweverItsHostIsWritten() {
    byte[] material = new byte[32];
    for (String name : List.of("log.example/a", "LOG.example:443/b", "log.example./c")) {
      assertEquals("log.example", new Key(name, Key.WITNESS, new byte[4], material).host(), name);
    }
  }

  @Test
  @SuppressWarnings("unchecked")
  void saysWhichFieldOfAPolicyIsNotAsItMustBe() throws IOException {
    byte[] own = Container.read(bundle("good/sealed.zip")).get("policy.json");
    var more = new java.util.HashMap<>((Map<String, Object>) Json.parse(Bytes.text(own)));
    more.put("quorum", 1);
    Map<String, String> wrong =
        Map.of("log_keys is missing", "{}", "the field \"quorum\" is not known", Json.write(more));
    wrong.forEach(
        (said, json) -> {
          var refused =
              assertThrows(ConfigurationException.class, () -> Policy.of(Bytes.utf8(json)));
          assertEquals("The policy cannot be used: " + said, refused.getMessage());
        });
  }

  @Test
  void noBeginningOfABundleIsValid() throws IOException {
    byte[] good = bundle("good/complete.zip");
    for (int length = 0; length < good.length; length += 199) {
      byte[] cut = java.util.Arrays.copyOf(good, length);
      if (!Container.looksLikeBundle(cut)) {
        assertThrows(
            NotABundleException.class, () -> Verifier.verify(cut, Policy.TRUST_BUNDLE, null));
        continue;
      }
      Report report = Verifier.verify(cut, Policy.TRUST_BUNDLE, null);
      assertFalse(report.valid(), length + " bytes");
    }
  }

  @Test
  void takesNoSignatureThatOthersMightRead() throws IOException {
    Object root = Json.parse(Files.readString(VECTORS.resolve("ed25519.json")));
    List<?> cases = (List<?>) ((Map<?, ?>) root).get("cases");
    for (Object item : cases) {
      Map<?, ?> each = (Map<?, ?>) item;
      Key key = new Key("x", Key.LOG, new byte[4], Bytes.fromHex((String) each.get("public_key")));
      boolean verified =
          key.verifies(
              Bytes.fromHex((String) each.get("signature")),
              Bytes.fromHex((String) each.get("message")));
      assertEquals(each.get("valid"), verified, (String) each.get("why"));
    }
    assertTrue(cases.size() > 5);
  }

  @Test
  void saysOfOtherCharsetsThatTheyAreNotChecked() {
    String text = "Content-Type: text/plain; charset=%s\r\n\r\nx \r\n";
    for (String charset : List.of("utf-8", "US-ASCII", "latin1", "windows-1252")) {
      byte[] message = Bytes.utf8(String.format(text, charset));
      assertEquals(1L, Mime.parts(message).get(0).get("size"), charset);
    }
    for (String charset : List.of("shift_jis", "koi8-r", "nobody-knows")) {
      byte[] message = Bytes.utf8(String.format(text, charset));
      assertEquals(null, Mime.parts(message).get(0).get("sha256"), charset);
    }
  }

  @Test
  void readsMessagesAsTheVectorsSay() throws IOException {
    Object root = Json.parse(Files.readString(VECTORS.resolve("messages.json")));
    List<?> cases = root instanceof List<?> list ? list : (List<?>) ((Map<?, ?>) root).get("cases");
    for (Object item : cases) {
      Map<?, ?> each = (Map<?, ?>) item;
      String name = (String) each.get("name");
      byte[] message = Bytes.base64((String) each.get("message"));
      Mime.Split split = Mime.split(message);
      byte[] header = Bytes.sha256(Mime.relaxedHeader(split.fields()));
      byte[] body = Bytes.sha256(Mime.relaxedBody(split.body()));
      assertEquals(each.get("header_sha256"), Bytes.hex(header), name);
      assertEquals(each.get("body_sha256"), Bytes.hex(body), name);
      assertEquals(each.get("parts"), Mime.parts(message), name);
    }
  }
}
