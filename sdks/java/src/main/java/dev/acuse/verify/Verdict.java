package dev.acuse.verify;

import java.util.ArrayList;
import java.util.List;

/** The meaning of a verification, and why. */
record Verdict(String word, List<Report.Remark> reasons) {
  static Verdict rejected(List<Report.Remark> failed) {
    return new Verdict(Report.REJECTED, failed);
  }

  /** What is known of a bundle once no check has failed. */
  record Facts(
      boolean bundleKeys,
      boolean development,
      boolean unchecked,
      boolean counted,
      int withheld,
      boolean oneLog,
      String content,
      boolean closedOutcome) {
    /** The worst wins. */
    Verdict judge() {
      List<Report.Remark> unproven = new ArrayList<>();
      List<Report.Remark> incomplete = new ArrayList<>();
      add(unproven, bundleKeys, "bundle_keys", "the keys are those that the file itself names");
      add(unproven, development, "development", "a time-stamp is by a development authority");
      add(
          incomplete,
          unchecked,
          "not_checked",
          "this library does not check all: acuse verify does");
      add(
          incomplete,
          !counted,
          "outcomes_not_counted",
          "it does not show how many outcomes there were");
      add(
          incomplete,
          withheld > 0,
          "outcomes_withheld",
          "it withholds " + withheld + " outcomes that were counted");
      add(incomplete, !oneLog, "history_not_shown", "it does not show that its trees are one log");
      add(
          incomplete,
          content.equals("disclosed") || content.equals("complete") && closedOutcome,
          "content_disclosed",
          "it shows a part of the content");
      add(incomplete, content.equals("erased"), "content_erased", "the content was erased");
      String word =
          !unproven.isEmpty()
              ? Report.UNPROVEN
              : incomplete.isEmpty() ? Report.VERIFIED : Report.INCOMPLETE;
      unproven.addAll(incomplete);
      return new Verdict(word, unproven);
    }

    private static void add(List<Report.Remark> to, boolean applies, String name, String detail) {
      if (applies) {
        to.add(new Report.Remark(name, detail));
      }
    }
  }
}
