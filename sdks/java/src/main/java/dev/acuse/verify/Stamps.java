package dev.acuse.verify;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The time-stamps of one bundle and their renewals, section 7 of the evidence format. */
final class Stamps {
  private static final int MAX_RENEWALS = 32;
  private static final int MAX_LISTED = 512;

  private final Verification list;
  private final Map<String, byte[]> entries;
  private final Policy.Trusted trusted;
  final Revocation revocation;

  /** Those that hold, by entry. */
  final Map<String, Stamp.Held> held = new HashMap<>();

  Stamps(Verification list, Map<String, byte[]> entries, Policy.Trusted trusted) {
    this.list = list;
    this.entries = entries;
    this.trusted = trusted;
    this.revocation = new Revocation(entries);
  }

  /** From the last renewal to the first, then the constancia: each holds when the next was made. */
  Stamp.Held constancia(byte[] imprint, Instant at) {
    Integer count = list.check("renewal", this::countRenewals);
    if (count == null) {
      list.skip("timestamp", "renewal");
      return null;
    }
    Instant next = at;
    List<Stamp.Held> renewals = new ArrayList<>();
    for (int number = count; number > 0; number--) {
      String name = String.format("%02d", number);
      int ordinal = number;
      byte[] covered = list.check("renewal." + name + ".covers", () -> renewed(ordinal));
      Stamp.Held held =
          covered == null
              ? null
              : check(
                  new Entry(
                      "renewal." + name,
                      "renewal/" + name + ".tsr",
                      "renewal-" + name,
                      next,
                      List.copyOf(renewals)),
                  covered,
                  "SHA-512");
      if (held == null) {
        list.skip("timestamp", "renewal");
        return null;
      }
      next = held.time();
      renewals.add(held);
    }
    Entry entry = new Entry("timestamp", "constancia.tsr", "constancia", next, renewals);
    return check(entry, imprint, "SHA-256");
  }

  /** A time-stamp that is checked at its own time only. */
  Stamp.Held check(String check, String token, String chain, byte[] imprint) {
    return check(new Entry(check, token, chain, null, List.of()), imprint, "SHA-256");
  }

  /** Where a token is, when its chain must hold too, and the renewals after it that hold. */
  private record Entry(
      String check, String token, String chain, Instant at, List<Stamp.Held> renewals) {}

  private Stamp.Held check(Entry entry, byte[] imprint, String hash) {
    byte[] pem = entries.get("chain/" + entry.chain + ".pem");
    Stamp.Held held =
        list.check(
            entry.check,
            () -> {
              Refused.unless(pem != null, "the chain is missing");
              Refused.unless(entries.containsKey(entry.token), "the time-stamp is missing");
              return underAny(entry, imprint, hash, pem);
            });
    if (held == null) {
      list.skip(entry.check + "_chain", entry.check);
      return null;
    }
    boolean asked = !revocation.isEmpty() || held.authority().revocationRequired();
    Boolean standing =
        !asked
            ? Boolean.TRUE
            : list.check(
                entry.check + "_revocation",
                () -> {
                  revocation.check(held, entry.renewals);
                  return true;
                });
    if (standing == null) {
      list.skip(entry.check + "_chain", entry.check + "_revocation");
      return null;
    }
    Stamp.Held whole =
        list.check(
            entry.check + "_chain",
            () -> {
              StringBuilder text = new StringBuilder();
              held.chain().forEach(each -> text.append(Cert.pem(each.der)));
              Refused.unless(text.toString().equals(Bytes.text(pem)), "another chain");
              List<byte[]> carried = Token.read(entries.get(entry.token)).certificates;
              byte[] signer = held.chain().get(0).der;
              boolean own =
                  carried.isEmpty()
                      || carried.stream().anyMatch(each -> Arrays.equals(each, signer));
              Refused.unless(own, "the token carries another signer");
              return held;
            });
    if (whole != null) {
      this.held.put(entry.token, whole);
    }
    return whole;
  }

  private Stamp.Held underAny(Entry entry, byte[] imprint, String hash, byte[] pem) {
    Token token = Token.read(entries.get(entry.token));
    Refused.unless(token.content != null, "the authority did not grant it");
    String text = Bytes.text(pem);
    Stamp.Chain extra = new Stamp.Chain(Cert.fromPem(text == null ? "" : text), entry.at);
    Refused reason = new Refused("no time-stamping authority is trusted at that time");
    for (Policy.Authority authority : trusted.authorities()) {
      if (!authority.window().holds(token.time)) {
        continue;
      }
      try {
        return Stamp.check(token, imprint, hash, authority, extra);
      } catch (Refused refused) {
        reason = refused;
      }
    }
    throw reason;
  }

  private int countRenewals() {
    int count =
        (int)
            entries.keySet().stream().filter(each -> each.matches("renewal/\\d\\d\\.tsr")).count();
    Refused.unless(count <= MAX_RENEWALS, "too many renewals");
    return count;
  }

  /** The SHA-512 of what a renewal stamps: its sums, or a list that has them. */
  private byte[] renewed(int ordinal) {
    String base = String.format("renewal/%02d", ordinal);
    byte[] sums = entries.get(base + ".sums");
    String text = sums == null ? null : Bytes.text(sums);
    Refused.unless(text != null, base + ".sums is missing");
    List<String> names =
        new ArrayList<>(List.of("checkpoint.txt", "constancia.tsr", "chain/constancia.pem"));
    for (int earlier = 1; earlier < ordinal; earlier++) {
      String before = String.format("renewal/%02d", earlier);
      names.add(before + ".sums");
      names.add(before + ".tsr");
      names.add(String.format("chain/renewal-%02d.pem", earlier));
      if (entries.containsKey(before + ".list")) {
        names.add(before + ".list");
      }
    }
    entries.keySet().stream()
        .filter(each -> each.startsWith("revocation/") && text.contains("  " + each + "\n"))
        .forEach(names::add);
    names.sort(null);
    StringBuilder expected = new StringBuilder();
    for (String name : names) {
      Refused.unless(entries.containsKey(name), name + " is missing");
      expected.append(Bytes.hex(Bytes.sha512(entries.get(name))));
      expected.append("  ").append(name).append('\n');
    }
    Refused.unless(expected.toString().equals(text), "not what was to be renewed");
    byte[] listed = entries.get(base + ".list");
    if (listed == null) {
      return Bytes.sha512(sums);
    }
    checkList(Bytes.latin1(listed), Bytes.hex(Bytes.sha512(sums)));
    return Bytes.sha512(listed);
  }

  private static void checkList(String text, String digest) {
    Refused.unless(text.matches("(?:[0-9a-f]{128}\n)++"), "the list has another form");
    String[] lines = text.split("\n");
    Refused.unless(lines.length <= MAX_LISTED, "the list is too long");
    for (int i = 1; i < lines.length; i++) {
      Refused.unless(lines[i].compareTo(lines[i - 1]) > 0, "the list is not ascending");
    }
    Refused.unless(Arrays.asList(lines).contains(digest), "the list does not have these sums");
  }
}
