package dev.acuse.shim;

import dev.acuse.verify.Policy;
import dev.acuse.verify.Report;
import dev.acuse.verify.Verifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Offline verification. */
final class Proofs {
  static final int LEVEL = 3;

  private Proofs() {}

  static Object verify(Map<String, Object> args) throws IOException {
    byte[] eml = args.get("eml") instanceof String path ? Files.readAllBytes(Path.of(path)) : null;
    String trust = (String) args.get("policy");
    Policy policy =
        "TRUST_BUNDLE".equals(trust) ? Policy.TRUST_BUNDLE : Policy.load(Path.of(trust));
    Instant at = args.get("at") instanceof String time ? Instant.parse(time) : null;
    byte[] bundle = Files.readAllBytes(Path.of((String) args.get("path")));
    Clock clock =
        args.get("now") instanceof String now
            ? Clock.fixed(Instant.parse(now), ZoneOffset.UTC)
            : Clock.systemUTC();
    Report report = Verifier.verify(bundle, policy, at, eml, clock);
    List<Object> checks = new ArrayList<>();
    for (Report.Check each : report.checks()) {
      checks.add(Values.map("name", each.name(), "ok", each.ok(), "detail", each.detail()));
    }
    return Values.map(
        "verdict", report.verdict(),
        "valid", report.valid(),
        "reasons", report.reasons().stream().map(Report.Remark::name).toList(),
        "warnings", report.warnings().stream().map(Report.Remark::name).toList(),
        "trust", report.trust(),
        "sealed_at", report.sealedAt(),
        "development", report.development(),
        "checks", checks,
        "copy", report.copy() == null ? null : report.copy().verdict());
  }
}
