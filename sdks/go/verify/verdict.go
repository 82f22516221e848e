package verify

import (
	"fmt"
	"strings"
)

// conclude says what a reader may take the checks to mean. The worst wins: rejected, unproven, incomplete.
func (b *bundle) conclude() {
	report := b.report
	unchecked := ""
	for _, check := range report.Checks {
		switch check.Outcome {
		case Failed:
			report.Reasons = append(report.Reasons, Reason{check.Name, check.Detail})
		case NotChecked:
			unchecked = check.Name
		}
	}
	if len(report.Reasons) > 0 {
		report.Verdict = Rejected
		return
	}
	report.Valid = unchecked == ""
	says := func(applies bool, name, detail string) {
		if applies {
			report.Reasons = append(report.Reasons, Reason{name, detail})
		}
	}
	says(report.Trust == "bundle", "bundle_keys",
		"the keys are those that the file itself names: whoever made it chose them")
	says(report.Development, "development",
		"a time-stamp in it is by a development authority, which proves nothing to anybody else")
	unproven := len(report.Reasons)
	says(unchecked != "", "not_checked", unchecked+" was not checked here")
	says(b.line.countedAt.IsZero(), "outcomes_not_counted",
		"it does not show how many outcomes there were: an outcome may have been left out")
	says(len(b.line.withheld) > 0, "outcomes_withheld",
		fmt.Sprintf("it withholds %d of the outcomes that were counted", len(b.line.withheld)))
	says(b.line.historyNotShown, "history_not_shown",
		"it does not show that the trees of the log in it are one log")
	content := b.openings["content"]
	says(content == "disclosed" || content == "complete" && b.hasClosedOutcome(),
		"content_disclosed", "it shows a part of the content")
	says(content == "erased", "content_erased", "the message's content was erased")
	switch {
	case unproven > 0:
		report.Verdict = Unproven
	case len(report.Reasons) > 0:
		report.Verdict = Incomplete
	default:
		report.Verdict = Verified
	}
}

// hasClosedOutcome: nothing opens what one of them rests on.
func (b *bundle) hasClosedOutcome() bool {
	opened := 0
	for name := range b.files {
		if strings.HasPrefix(name, "delivery/") && strings.HasSuffix(name, ".openings.json") {
			opened++
		}
	}
	return opened < len(b.line.outcomes)
}
