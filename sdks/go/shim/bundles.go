package main

import (
	"time"

	"acuse.dev/go/verify"
)

func (c *call) verifyBundle() (any, error) {
	var args struct {
		Path   string  `json:"path"`
		Policy string  `json:"policy"`
		At     string  `json:"at"`
		EML    *string `json:"eml"`
	}
	if err := c.read(&args); err != nil {
		return nil, err
	}
	options := verify.Options{Policy: verify.TrustBundle}
	if args.Policy != "TRUST_BUNDLE" {
		policy, err := verify.LoadPolicy(args.Policy)
		if err != nil {
			return nil, err
		}
		options.Policy = policy
	}
	if args.At != "" {
		at, err := time.Parse(time.RFC3339, args.At)
		if err != nil {
			return nil, shimError("at: %v", err)
		}
		options.At = at
	}
	report, err := verify.File(args.Path, options)
	if err != nil {
		return nil, err
	}
	return reported(report, args.EML != nil), nil
}

func reported(report *verify.Report, received bool) any {
	checks := []any{}
	for _, each := range report.Checks {
		checks = append(checks, map[string]any{
			"name": each.Name, "detail": each.Detail,
			"ok": map[verify.Outcome]any{verify.NotChecked: nil, verify.Passed: true, verify.Failed: false}[each.Outcome],
		})
	}
	verdict := report.Verdict
	if received && verdict == verify.Valid {
		// This library does not compare received copies.
		checks = append(checks, map[string]any{"name": "received", "ok": nil, "detail": "not checked"})
		verdict = verify.Incomplete
	}
	result := map[string]any{
		"verdict": verdict, "trust": report.Trust, "sealed_at": nil, "development": report.Development,
		"checks": checks,
	}
	if !report.SealedAt.IsZero() {
		result["sealed_at"] = report.SealedAt.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	return result
}
