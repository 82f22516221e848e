package main

import (
	"os"
	"time"

	"acuse.dev/go/verify"
)

func (c *call) verifyBundle() (any, error) {
	var args struct {
		Path   string  `json:"path"`
		Policy string  `json:"policy"`
		At     string  `json:"at"`
		Now    string  `json:"now"`
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
	for text, into := range map[*string]*time.Time{&args.At: &options.At, &args.Now: &options.Now} {
		if *text == "" {
			continue
		}
		moment, err := time.Parse(time.RFC3339, *text)
		if err != nil {
			return nil, shimError("%v", err)
		}
		*into = moment
	}
	if args.EML != nil {
		received, err := os.ReadFile(*args.EML)
		if err != nil {
			return nil, err
		}
		options.Received = received
	}
	report, err := verify.File(args.Path, options)
	if err != nil {
		return nil, err
	}
	return reported(report), nil
}

func reported(report *verify.Report) any {
	checks := []any{}
	for _, each := range report.Checks {
		checks = append(checks, map[string]any{
			"name": each.Name, "detail": each.Detail,
			"ok": map[verify.Outcome]any{verify.NotChecked: nil, verify.Passed: true, verify.Failed: false}[each.Outcome],
		})
	}
	reasons, warnings := []string{}, []string{}
	for _, each := range report.Reasons {
		reasons = append(reasons, each.Name)
	}
	for _, each := range report.Warnings {
		warnings = append(warnings, each.Name)
	}
	result := map[string]any{
		"verdict": report.Verdict, "valid": report.Valid, "reasons": reasons, "warnings": warnings,
		"trust": report.Trust, "sealed_at": nil, "development": report.Development, "checks": checks, "copy": nil,
	}
	if report.Copy != nil {
		result["copy"] = report.Copy.Verdict
	}
	if !report.SealedAt.IsZero() {
		result["sealed_at"] = report.SealedAt.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	return result
}
