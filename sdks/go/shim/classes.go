package main

import (
	"context"
	"errors"
	"os"

	"acuse.dev/go"
	"acuse.dev/go/verify"
	"acuse.dev/go/webhook"
)

// className is the most specific of the protocol's names.
func className(err error) string {
	if errors.Is(err, context.Canceled) {
		return "Cancelled"
	}
	checks := []struct {
		name string
		is   bool
	}{
		{"ConfigurationError", is[*acuse.ConfigurationError](err)},
		{"TimeoutError", is[*acuse.TimeoutError](err)},
		{"ConnectionError", is[*acuse.ConnectionError](err)},
		{"ProtocolError", is[*acuse.ProtocolError](err)},
		{"InvalidRequestError", is[*acuse.InvalidRequestError](err)},
		{"AuthenticationError", is[*acuse.AuthenticationError](err)},
		{"PermissionError", is[*acuse.PermissionError](err)},
		{"NotFoundError", is[*acuse.NotFoundError](err)},
		{"ConflictError", is[*acuse.ConflictError](err)},
		{"RefusedError", is[*acuse.RefusedError](err)},
		{"QuotaExceededError", is[*acuse.QuotaExceededError](err)},
		{"RateLimitedError", is[*acuse.RateLimitedError](err)},
		{"UnavailableError", is[*acuse.UnavailableError](err)},
		{"ServerError", is[*acuse.ServerError](err)},
		{"ApiError", is[*acuse.APIError](err)},
		{"WebhookError", is[*webhook.Error](err)},
		{"LogError", is[*acuse.LogError](err)},
		{"VerifyError", is[*os.PathError](err) || errors.Is(err, verify.ErrNotABundle)},
	}
	for _, each := range checks {
		if each.is {
			return each.name
		}
	}
	return "ShimError"
}

func is[T error](err error) bool {
	var target T
	return errors.As(err, &target)
}

func reasonOf(err error) string {
	var refused *webhook.Error
	if errors.As(err, &refused) {
		return string(refused.Reason)
	}
	return logReason(err)
}
