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
	result := map[string]any{
		"verdict": report.Verdict, "trust": report.Trust, "sealed_at": nil, "development": report.Development,
		"checks": checks, "copy": nil,
	}
	if report.Copy != nil {
		result["copy"] = report.Copy.Verdict
	}
	if !report.SealedAt.IsZero() {
		result["sealed_at"] = report.SealedAt.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	return result
}
