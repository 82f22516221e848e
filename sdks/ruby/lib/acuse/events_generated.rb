# frozen_string_literal: true

# Generated from contract/openapi.json by sdks/generate/ruby.mjs: do not edit.

module Acuse
  # The types of webhook events known when this library was made; others arrive with their data as it came.
  EVENT_DATA = {
    'email.queued' => 'EmailQueuedData',
    'email.sent' => 'EmailSentData',
    'email.deferred' => 'EmailDeferredData',
    'email.bounced' => 'EmailBouncedData',
    'email.complained' => 'EmailComplainedData',
    'email.sealed' => 'EmailSealedData',
    'acknowledgement.given' => 'AcknowledgementGivenData',
    'acknowledgement.refused' => 'AcknowledgementRefusedData',
    'acknowledgement.expired' => 'AcknowledgementExpiredData',
  }.freeze
end
