# frozen_string_literal: true

# Generated from contract/openapi.json by sdks/generate/ruby.mjs: do not edit.

module Acuse
  # What the contract knows by name. Answers are of these classes; a request takes a Hash as well.
  module Types
    # Account of the contract.
    class Account < Model
      # UUIDv7.
      # @return [String]
      field 'id', :string, essential: true
      # Name of the account, as its operator wrote it.
      # @return [String]
      field 'name', :string
      # Only an active account may send.
      # @return [Types::AccountStatus]
      field 'status', [:ref, 'AccountStatus']
      # Mail of this account goes only to the built-in mailbox.
      # @return [Boolean]
      field 'sandbox', :boolean
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'created_at', :string
      # The API key that this request was made with; null in the portal.
      # @return [Types::CallingKey, nil]
      field 'api_key', [:ref, 'CallingKey'], nullable: true
      # Settings that the operator made for the account.
      # @return [Types::AccountSettings]
      field 'settings', [:ref, 'AccountSettings']
      # Use of the account this UTC month, and its quotas.
      # @return [Types::AccountUsage]
      field 'usage', [:ref, 'AccountUsage']
    end

    # AccountEvent of the contract.
    class AccountEvent < Model
      # @return [Types::RecordedEventType]
      field 'type', [:ref, 'RecordedEventType'], essential: true
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'created_at', :string
      # @return [Types::AccountEventData]
      field 'data', [:ref, 'AccountEventData']
    end

    # The ids and the fields of the type; after an erasure, without addresses, subject and replies.
    class AccountEventData < Model
      # UUIDv7.
      # @return [String]
      field 'message_id', :string
      # UUIDv7.
      # @return [String]
      field 'event_id', :string
    end

    # AccountEventPage of the contract.
    class AccountEventPage < Model
      # The entries, in order.
      # @return [Array<Types::AccountEvent>]
      field 'data', [:array, [:ref, 'AccountEvent']], essential: true
      # Pass it as after to get the next page; null on the last page.
      # @return [String, nil]
      field 'next_cursor', :string, nullable: true, essential: true
      # On a page that is short because matches are rare: created_at of the last event read. Continue with
      # next_cursor. null: the page is full, or it is the last.
      # @return [String, nil]
      field 'scanned_to', :string, nullable: true
    end

    # AccountSettings of the contract.
    class AccountSettings < Model
      # True: a send that does not set certified is certified; always applies to message/rfc822.
      # @return [Boolean]
      field 'default_certified', :boolean
      # Monthly quota of certified messages.
      # @return [Integer]
      field 'quota_messages_month', :integer
      # Monthly quota of plain messages.
      # @return [Integer]
      field 'quota_plain_messages_month', :integer
      # Price per certified message, in cents.
      # @return [Integer]
      field 'price_per_message_cents', :integer
      # Price per plain message, in cents.
      # @return [Integer]
      field 'price_per_plain_message_cents', :integer
      # A send from a domain that is verified and not ready is refused as domain_not_verified.
      # @return [Boolean, nil]
      field 'require_ready_domains', :boolean, required: false
      # Days after which a plain message is deleted with its record; sent again, its Idempotency-Key is
      # refused as accepted_before.
      # @return [Integer, nil]
      field 'plain_record_days', :integer, required: false
    end

    # AccountUsage of the contract.
    class AccountUsage < Model
      # UTC calendar month.
      # @return [String]
      field 'month', :string
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'resets_at', :string
      # Certified messages.
      # @return [Types::QuotaUsage]
      field 'certified', [:ref, 'QuotaUsage']
      # Plain messages.
      # @return [Types::QuotaUsage]
      field 'plain', [:ref, 'QuotaUsage']
      # Time-stamps, and the account’s share of their cost.
      # @return [Types::ConstanciaUsage]
      field 'constancias', [:ref, 'ConstanciaUsage']
    end

    # Acknowledgement of the contract.
    class Acknowledgement < Model
      # @return [Types::AcknowledgementStatus]
      field 'status', [:ref, 'AcknowledgementStatus']
      # recipient_page: somebody who reads the recipient's mailbox acted on the page, with a code that was
      # sent there; not who. reported_by_mail: a reply that the recipient's mail domain signed. operator:
      # the time ran out.
      # @return [String, nil]
      field 'source', :string, nullable: true
      # When it was decided.
      # @return [String, nil]
      field 'at', :string, nullable: true
      # Until when the recipient may acknowledge it.
      # @return [String]
      field 'until', :string
    end

    # AcknowledgementExpired of the contract.
    class AcknowledgementExpired < Model
      # The type of the event.
      # @return [String]
      field 'type', :string
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'created_at', :string
      # The entries, in order.
      # @return [Types::AcknowledgementExpiredData]
      field 'data', [:ref, 'AcknowledgementExpiredData']
    end

    # AcknowledgementExpiredData of the contract.
    class AcknowledgementExpiredData < Model
      # UUIDv7.
      # @return [String]
      field 'message_id', :string
      # UUIDv7.
      # @return [String]
      field 'event_id', :string
      # Recipient address.
      # @return [String]
      field 'to', :string
    end

    # AcknowledgementGiven of the contract.
    class AcknowledgementGiven < Model
      # The type of the event.
      # @return [String]
      field 'type', :string
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'created_at', :string
      # The entries, in order.
      # @return [Types::AcknowledgementGivenData]
      field 'data', [:ref, 'AcknowledgementGivenData']
    end

    # AcknowledgementGivenData of the contract.
    class AcknowledgementGivenData < Model
      # UUIDv7.
      # @return [String]
      field 'message_id', :string
      # UUIDv7.
      # @return [String]
      field 'event_id', :string
      # Recipient address.
      # @return [String]
      field 'to', :string
      # Where the recipient acted: on the page of the link, or by a reply that their mail domain signed.
      # @return [String]
      field 'source', :string
    end

    # AcknowledgementRefused of the contract.
    class AcknowledgementRefused < Model
      # The type of the event.
      # @return [String]
      field 'type', :string
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'created_at', :string
      # The entries, in order.
      # @return [Types::AcknowledgementRefusedData]
      field 'data', [:ref, 'AcknowledgementRefusedData']
    end

    # AcknowledgementRefusedData of the contract.
    class AcknowledgementRefusedData < Model
      # UUIDv7.
      # @return [String]
      field 'message_id', :string
      # UUIDv7.
      # @return [String]
      field 'event_id', :string
      # Recipient address.
      # @return [String]
      field 'to', :string
      # Where the recipient acted: on the page of the link, or by a reply that their mail domain signed.
      # @return [String]
      field 'source', :string
    end

    # Person, key or visitor that asked.
    class Actor < Model
      # key: an API key. user: a person, in the portal. share: somebody with a shared link.
      # @return [String]
      field 'kind', :string
      # Id of the key, the person or the share. It may be gone since.
      # @return [String]
      field 'id', :string
      # Its name at that time: of a share, its note.
      # @return [String]
      field 'name', :string
    end

    # ApiKey of the contract.
    class ApiKey < Model
      # UUIDv7.
      # @return [String]
      field 'id', :string, essential: true
      # Name given to the key.
      # @return [String]
      field 'name', :string
      # Scopes of the key.
      # @return [Array<Types::Scope>]
      field 'scopes', [:array, [:ref, 'Scope']]
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'created_at', :string
      # When the key was last used, to the minute.
      # @return [String, nil]
      field 'last_used_at', :string, nullable: true
      # The IP address that it was then used from.
      # @return [String, nil]
      field 'last_used_from', :string, required: false, nullable: true
      # Addresses, and *@domain, that the key may have in From. Null: all.
      # @return [Array<String>, nil]
      field 'senders', [:array, :string], required: false, nullable: true
      # IP addresses and networks that the key may be used from. Null: all.
      # @return [Array<String>, nil]
      field 'networks', [:array, :string], required: false, nullable: true
      # When the key stops working. Null: never.
      # @return [String, nil]
      field 'expires_at', :string, required: false, nullable: true
      # Kinds that the key may read but not change, although messages:send would let it. domains includes
      # their senders.
      # @return [Array<Types::ReadOnlyPart>, nil]
      field 'read_only', [:array, [:ref, 'ReadOnlyPart']], required: false
      # Each send waits until a person approves it in the portal. Until then it is refused as
      # approval_required; repeated after that, it is answered with the message.
      # @return [Boolean, nil]
      field 'needs_approval', :boolean, required: false
      # Creator of the key. Null for keys of earlier versions.
      # @return [Types::ApiKeyMaker, nil]
      field 'created_by', [:ref, 'ApiKeyMaker'], required: false, nullable: true
      # Of a key that a person gave to an agent's program. Null for other keys.
      # @return [Types::ApiKeyGrant, nil]
      field 'grant', [:ref, 'ApiKeyGrant'], required: false, nullable: true
    end

    # ApiKeyGrant of the contract.
    class ApiKeyGrant < Model
      # URL of the MCP server that the key is for.
      # @return [String]
      field 'resource', :string
      # Until when the program may renew the key; expires_at is when it must next.
      # @return [String]
      field 'until', :string
    end

    # ApiKeyMaker of the contract.
    class ApiKeyMaker < Model
      # Kind of the creator.
      # @return [Types::AuditActorKind]
      field 'kind', [:ref, 'AuditActorKind']
      # Null for the command line.
      # @return [String, nil]
      field 'id', :string, nullable: true
      # Name of the person or of the key.
      # @return [String]
      field 'name', :string
    end

    # ApiKeyPage of the contract.
    class ApiKeyPage < Model
      # The entries, in order.
      # @return [Array<Types::ApiKey>]
      field 'data', [:array, [:ref, 'ApiKey']], essential: true
      # Pass it as after to get the next page; null on the last page.
      # @return [String, nil]
      field 'next_cursor', :string, nullable: true, essential: true
    end

    # ApiKeyWithSecret of the contract.
    class ApiKeyWithSecret < Model
      # UUIDv7.
      # @return [String]
      field 'id', :string, essential: true
      # Name given to the key.
      # @return [String]
      field 'name', :string
      # Scopes of the key.
      # @return [Array<Types::Scope>]
      field 'scopes', [:array, [:ref, 'Scope']]
      # The API key itself. It is shown only once.
      # @return [String]
      field 'key', :string, essential: true
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'created_at', :string
      # Addresses, and *@domain, that the key may have in From. Null: all.
      # @return [Array<String>, nil]
      field 'senders', [:array, :string], required: false, nullable: true
      # IP addresses and networks that the key may be used from. Null: all.
      # @return [Array<String>, nil]
      field 'networks', [:array, :string], required: false, nullable: true
      # When the key stops working. Null: never.
      # @return [String, nil]
      field 'expires_at', :string, required: false, nullable: true
      # Kinds that the key may read but not change, although messages:send would let it. domains includes
      # their senders.
      # @return [Array<Types::ReadOnlyPart>, nil]
      field 'read_only', [:array, [:ref, 'ReadOnlyPart']], required: false
      # Each send waits until a person approves it in the portal. Until then it is refused as
      # approval_required; repeated after that, it is answered with the message.
      # @return [Boolean, nil]
      field 'needs_approval', :boolean, required: false
      # Creator of the key. Null for keys of earlier versions.
      # @return [Types::ApiKeyMaker, nil]
      field 'created_by', [:ref, 'ApiKeyMaker'], required: false, nullable: true
    end

    # Attachment of the contract.
    class Attachment < Model
      # File name shown to the recipient, without a path; at most 255 bytes of UTF-8.
      # @return [String]
      field 'filename', :string, essential: true
      # Media type; application/octet-stream when omitted. An invitation, `text/calendar; method=REQUEST`
      # in UTF-8, also goes out beside text and html, so that mail programs show its buttons.
      # @return [String, nil]
      field 'content_type', :string, required: false, nullable: true
      # The bytes in base64 (RFC 4648 §4).
      # @return [String]
      field 'content', :string, essential: true
      # Makes the attachment an inline part that html refers to as cid:<content_id>.
      # @return [String, nil]
      field 'content_id', :string, required: false, nullable: true
    end

    # Attempt of the contract.
    class Attempt < Model
      # Number of the attempt, counted from 1.
      # @return [Integer]
      field 'attempt', :integer
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'started_at', :string
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'finished_at', :string
      # How the attempt ended.
      # @return [String]
      field 'outcome', :string
      # How it bounced; null unless this attempt ended so.
      # @return [Types::BounceType, nil]
      field 'bounce_type', [:ref, 'BounceType'], nullable: true
      # How and why it bounced; null: it did not.
      # @return [Types::Bounce, nil]
      field 'bounce', [:ref, 'Bounce'], required: false, nullable: true
      # Why it was deferred; null: it was not.
      # @return [Types::Deferral, nil]
      field 'deferral', [:ref, 'Deferral'], required: false, nullable: true
      # Reply that decided the outcome.
      # @return [Types::DecidingReply, nil]
      field 'reply', [:ref, 'DecidingReply'], nullable: true
      # One entry per host that was tried, in order.
      # @return [Array<Types::Session>]
      field 'sessions', [:array, [:ref, 'Session']]
    end

    # AttemptPage of the contract.
    class AttemptPage < Model
      # The entries, in order.
      # @return [Array<Types::Attempt>]
      field 'data', [:array, [:ref, 'Attempt']], essential: true
      # Pass it as after to get the next page; null on the last page.
      # @return [String, nil]
      field 'next_cursor', :string, nullable: true, essential: true
    end

    # AuditActor of the contract.
    class AuditActor < Model
      # Kind of the actor: a person, an API key, an operator, or Acuse itself.
      # @return [Types::AuditActorKind]
      field 'kind', [:ref, 'AuditActorKind'], essential: true
      # Null for the command line, for automatic changes and for somebody who has not joined the account.
      # @return [String, nil]
      field 'id', :string, nullable: true, essential: true
      # Their name.
      # @return [String]
      field 'name', :string, essential: true
    end

    # AuditEntry of the contract.
    class AuditEntry < Model
      # UUIDv7.
      # @return [String]
      field 'id', :string, essential: true
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'occurred_at', :string, essential: true
      # Person, key or operator that acted.
      # @return [Types::AuditActor]
      field 'actor', [:ref, 'AuditActor'], essential: true
      # The operation, in snake case.
      # @return [String]
      field 'action', :string, essential: true
      # The target of the operation.
      # @return [String, nil]
      field 'target', :string, nullable: true, essential: true
      # The values before the change.
      # @return [Hash{String => Object}, nil]
      field 'before', [:map, :json], nullable: true, essential: true
      # The values after the change.
      # @return [Hash{String => Object}, nil]
      field 'after', [:map, :json], nullable: true, essential: true
      # The address that the request came from.
      # @return [String, nil]
      field 'client_address', :string, nullable: true, essential: true
      # Request-Id of the request.
      # @return [String, nil]
      field 'request_id', :string, nullable: true, essential: true
    end

    # Batch of the contract.
    class Batch < Model
      # The messages, each with its own idempotency key.
      # @return [Array<Types::BatchItem>]
      field 'messages', [:array, [:ref, 'BatchItem']], essential: true
    end

    # BatchItem of the contract.
    class BatchItem < Model
      # Printable ASCII; the same when you retry.
      # @return [String]
      field 'idempotency_key', :string, essential: true
      # An address of a verified domain, or Name <address>.
      # @return [String]
      field 'from', :string, essential: true
      # @return [Types::Recipients]
      field 'to', [:ref, 'Recipients'], essential: true
      # Shown in Cc: an address or a list.
      # @return [Types::CopyRecipients, nil]
      field 'cc', [:ref, 'CopyRecipients'], required: false, nullable: true
      # Blind copies: an address or a list, which no message and no evidence shows.
      # @return [Types::CopyRecipients, nil]
      field 'bcc', [:ref, 'CopyRecipients'], required: false, nullable: true
      # true: leave out suppressed recipients and report them in skipped, as long as one is left.
      # Otherwise one suppressed recipient refuses the request.
      # @return [Boolean, nil]
      field 'skip_suppressed', :boolean, required: false, nullable: true
      # At most 998 bytes of UTF-8.
      # @return [String, nil]
      field 'subject', :string, required: false, nullable: true
      # Plain body. At least one of text, html, template and template_id is required.
      # @return [String, nil]
      field 'text', :string, required: false, nullable: true
      # HTML body.
      # @return [String, nil]
      field 'html', :string, required: false, nullable: true
      # Overrides the account's default_certified for this message.
      # @return [Boolean, nil]
      field 'certified', :boolean, required: false, nullable: true
      # A template of this account. It gives whichever of subject, text and html the request leaves out.
      # @return [String, nil]
      field 'template_id', :string, required: false, nullable: true
      # The name of a template of this account, in place of template_id.
      # @return [String, nil]
      field 'template', :string, required: false, nullable: true
      # Language tag that chooses a variant of the template: es-MX, else es, else the template's own
      # content. Also the language in which a recipient is asked to acknowledge the message: es or en.
      # @return [String, nil]
      field 'locale', :string, required: false, nullable: true
      # The template's data.
      # @return [Hash{String => Object}, nil]
      field 'variables', [:map, :json], required: false, nullable: true
      # Where replies go: an address or a list.
      # @return [Types::ReplyTo, nil]
      field 'reply_to', [:ref, 'ReplyTo'], required: false, nullable: true
      # When to send it: RFC 3339 with an offset from UTC, at most 30 days ahead; at once when omitted. It
      # is accepted, and promised if certified, now.
      # @return [String, nil]
      field 'send_at', :string, required: false, nullable: true
      # Asks the recipient to acknowledge receipt.
      # @return [Types::AcknowledgementRequest, nil]
      field 'acknowledgement', [:ref, 'AcknowledgementRequest'], required: false, nullable: true
      # Until when the recipient may acknowledge it: RFC 3339 with an offset from UTC, 1 hour to 90 days
      # after the message is sent; 15 days when omitted.
      # @return [String, nil]
      field 'acknowledge_by', :string, required: false, nullable: true
      # Additional header fields: X-*, List-*, References, In-Reply-To, Auto-Submitted, Feedback-ID,
      # Importance, Precedence, TLS-Required and others that docs/submitted-messages.md lists.
      # @return [Hash{String => String}, nil]
      field 'headers', [:map, :string], required: false, nullable: true
      # Files and inline images.
      # @return [Array<Types::Attachment>, nil]
      field 'attachments', [:array, [:ref, 'Attachment']], required: false, nullable: true
      # Labels to filter messages by; never part of the mail.
      # @return [Array<String>, nil]
      field 'tags', [:array, :string], required: false, nullable: true
      # Up to 20 key-value pairs of your own; never part of the mail.
      # @return [Hash{String => String}, nil]
      field 'metadata', [:map, :string], required: false, nullable: true
    end

    # BatchItemResult of the contract.
    class BatchItemResult < Model
      # Index of the item in the request.
      # @return [Integer]
      field 'index', :integer, essential: true
      # The outcome of this item.
      # @return [String]
      field 'status', :string, essential: true
      # The message, if it was created or replayed.
      # @return [Types::Message, nil]
      field 'message', [:ref, 'Message'], required: false
      # Present only for failed items.
      # @return [Types::ErrorDetail, nil]
      field 'error', [:ref, 'ErrorDetail'], required: false
    end

    # BatchResult of the contract.
    class BatchResult < Model
      # Number of items that made new messages.
      # @return [Integer]
      field 'created', :integer
      # Number of items that were refused.
      # @return [Integer]
      field 'failed', :integer
      # Number of items that had been accepted before.
      # @return [Integer]
      field 'replayed', :integer
      # One result per item, in order; message unless the item failed.
      # @return [Array<Types::BatchItemResult>]
      field 'results', [:array, [:ref, 'BatchItemResult']], essential: true
    end

    # Bounce of the contract.
    class Bounce < Model
      # How it bounced.
      # @return [Types::BounceType]
      field 'type', [:ref, 'BounceType']
      # The reason; null for messages that bounced before reasons were kept.
      # @return [Types::BounceReason, nil]
      field 'reason', [:ref, 'BounceReason'], nullable: true
      # reply: a server said so; report: mail that came later; acuse: no server did, it was given up or
      # not tried.
      # @return [String]
      field 'source', :string
    end

    # BounceReasonShare of the contract.
    class BounceReasonShare < Model
      # null: before reasons were kept.
      # @return [Types::BounceReason, nil]
      field 'reason', [:ref, 'BounceReason'], nullable: true
      # Messages that bounced for this reason.
      # @return [Integer]
      field 'messages', :integer
      # Of these messages.
      # @return [Numeric]
      field 'share', :number
    end

    # CallingKey of the contract.
    class CallingKey < Model
      # UUIDv7.
      # @return [String]
      field 'id', :string
      # Scopes of the key.
      # @return [Array<Types::Scope>]
      field 'scopes', [:array, [:ref, 'Scope']]
      # URL of the MCP server that the key was granted for. Absent for other keys.
      # @return [String, nil]
      field 'resource', :string, required: false
      # Each send waits until a person approves it in the portal. Absent for other keys.
      # @return [Boolean, nil]
      field 'needs_approval', :boolean, required: false
    end

    # A verified time-stamp (RFC 3161).
    class Certificate < Model
      # UUIDv7.
      # @return [String]
      field 'id', :string
      # Bytes that it stamps: the checkpoint of a batch, one canonical hash, or all that a constancia and
      # its earlier renewals consist of.
      # @return [String]
      field 'kind', :string
      # `development`: sealed by the built-in authority; not a NOM-151 constancia.
      # @return [String]
      field 'profile', :string
      # Issuer of the authority's certificate, RFC 4514.
      # @return [String]
      field 'issuer', :string
      # Policy of the token.
      # @return [String]
      field 'policy_oid', :string
      # The token's serial number, lower-case hex.
      # @return [String]
      field 'serial_number', :string
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'gen_time', :string
      # Of the imprint.
      # @return [String]
      field 'hash_algorithm', :string
      # Hash that was stamped, lower-case hex.
      # @return [String]
      field 'imprint', :string
    end

    # ConstanciaUsage of the contract.
    class ConstanciaUsage < Model
      # Constancias over single messages requested this month.
      # @return [Integer]
      field 'on_demand', :integer
      # The account's share of what the time-stamping authorities charged this month: its leaves of each
      # batch, and the constancias that it requested itself.
      # @return [Numeric]
      field 'cost_cents', :number
    end

    # DecidingReply of the contract.
    class DecidingReply < Model
      # SMTP reply; null when no reply came.
      # @return [Integer, nil]
      field 'code', :integer, nullable: true
      # Enhanced status code (RFC 3463), where there was one.
      # @return [String, nil]
      field 'enhanced', :string, nullable: true
      # Text of the server's reply.
      # @return [String]
      field 'text', :string
      # Host name of the mail server.
      # @return [String, nil]
      field 'mx', :string, nullable: true
    end

    # Deferral of the contract.
    class Deferral < Model
      # The reason; null: deferred before the reasons of deferrals were kept.
      # @return [Types::BounceReason, nil]
      field 'reason', [:ref, 'BounceReason'], nullable: true
      # reply: a server said so; acuse: no server answered.
      # @return [String]
      field 'source', :string
    end

    # DeliveryOutcome of the contract.
    class DeliveryOutcome < Model
      # cancelled: called back before any server took it; nothing failed. acknowledged, refused: the
      # recipient's own act, where the send asked for it; unanswered: it did not come in time; displayed:
      # what a mail program stated.
      # @return [String]
      field 'kind', :string
      # session: a server answered it in our own SMTP session; operator: nobody answered, we ended it;
      # reported_by_mail: a mail said so; recipient_page: somebody who reads the recipient's mailbox acted
      # on the page, with a code that was sent there.
      # @return [String]
      field 'source', :string
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'occurred_at', :string
      # Place of the outcome in the log.
      # @return [Integer, nil]
      field 'leaf_index', :integer, nullable: true
      # SHA-256, lower-case hex.
      # @return [String]
      field 'canonical_hash', :string
      # RFC 3339, UTC, milliseconds.
      # @return [String, nil]
      field 'sealed_at', :string, nullable: true
    end

    # DmarcAdvice of the contract.
    class DmarcAdvice < Model
      # The strictest policy that hardly any of the reported mail would suffer from: reject where at most
      # 0.5 % fails at the reporter in the middle of those with 50 messages or more, in two reports or
      # more over 7 days; quarantine where at most 2 % does. null: none yet.
      # @return [Types::DmarcPolicy, nil]
      field 'safe_policy', [:ref, 'DmarcPolicy'], nullable: true
      # @return [Types::DmarcAdviceReason]
      field 'reason', [:ref, 'DmarcAdviceReason']
    end

    # DmarcSource of the contract.
    class DmarcSource < Model
      # The address that sent them.
      # @return [String]
      field 'source_ip', :string
      # True: some of its mail is signed with a key of this domain's here.
      # @return [Boolean]
      field 'signed_here', :boolean
      # Messages from this address.
      # @return [Integer]
      field 'messages', :integer
      # Passed DMARC, by DKIM or by SPF.
      # @return [Integer]
      field 'aligned', :integer
      # Messages whose DKIM signature is of the From domain.
      # @return [Integer]
      field 'dkim_aligned', :integer
      # Messages whose SPF domain is that of From.
      # @return [Integer]
      field 'spf_aligned', :integer
      # Messages that receivers put aside as suspicious.
      # @return [Integer]
      field 'quarantined', :integer
      # Messages that receivers refused.
      # @return [Integer]
      field 'rejected', :integer
      # Domains in From.
      # @return [Array<String>]
      field 'header_from', [:array, :string]
      # Domains of those who reported it, as DKIM or SPF proved them.
      # @return [Array<String>]
      field 'reporters', [:array, :string]
    end

    # DmarcSummary of the contract.
    class DmarcSummary < Model
      # Number of reports.
      # @return [Integer]
      field 'reports', :integer
      # Domains of those who reported it, as DKIM or SPF proved them.
      # @return [Array<String>]
      field 'reporters', [:array, :string]
      # Messages that the reports cover.
      # @return [Integer]
      field 'messages', :integer
      # Messages that pass DMARC.
      # @return [Integer]
      field 'aligned', :integer
      # The published policy, as most reporters found it.
      # @return [Types::DmarcPolicy, nil]
      field 'policy', [:ref, 'DmarcPolicy'], nullable: true
      # Advice of the reports about a stricter policy.
      # @return [Types::DmarcAdvice]
      field 'advice', [:ref, 'DmarcAdvice']
      # Sources that send as this domain, the most mail first; 100 at most, of each reporter its largest.
      # @return [Array<Types::DmarcSource>]
      field 'sources', [:array, [:ref, 'DmarcSource']]
    end

    # Domain of the contract.
    class Domain < Model
      # UUIDv7.
      # @return [String]
      field 'id', :string, essential: true
      # Domain name in A-labels, lower case.
      # @return [String]
      field 'name', :string
      # Only a verified domain may send.
      # @return [String]
      field 'status', :string
      # @return [Types::DomainReadiness, nil]
      field 'readiness', [:ref, 'DomainReadiness'], required: false
      # Missing records that keep it from being ready, as of the last look-up.
      # @return [Array<String>, nil]
      field 'failing_records', [:array, :string], required: false
      # The DNS records to publish, and what was found.
      # @return [Array<Types::DomainRecord>]
      field 'records', [:array, [:ref, 'DomainRecord']]
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'created_at', :string
      # RFC 3339, UTC, milliseconds.
      # @return [String, nil]
      field 'verified_at', :string, nullable: true
      # RFC 3339, UTC, milliseconds.
      # @return [String, nil]
      field 'checked_at', :string, nullable: true
      # Required records are missing: after this time the domain is failing.
      # @return [String, nil]
      field 'grace_until', :string, nullable: true
    end

    # DomainPage of the contract.
    class DomainPage < Model
      # The entries, in order.
      # @return [Array<Types::Domain>]
      field 'data', [:array, [:ref, 'Domain']], essential: true
      # Pass it as after to get the next page; null on the last page.
      # @return [String, nil]
      field 'next_cursor', :string, nullable: true, essential: true
    end

    # DomainRecord of the contract.
    class DomainRecord < Model
      # Purpose of the record.
      # @return [String]
      field 'purpose', :string
      # For return_path, an MX record to the same host also works.
      # @return [String]
      field 'type', :string
      # Full name of the record.
      # @return [String]
      field 'name', :string
      # Value to publish; a TXT value longer than 255 characters goes into several strings of one record.
      # @return [String]
      field 'value', :string
      # True: the domain is not verified without this record. The others improve delivery.
      # @return [Boolean]
      field 'required', :boolean
      # Result of the last look-up.
      # @return [String]
      field 'status', :string
      # Values that the last look-up found under the name, or why it failed.
      # @return [Array<String>]
      field 'found', [:array, :string]
      # State of the key of a DKIM record: pending keys wait for their record, and retired ones keep
      # theirs for a week. null for other records.
      # @return [String, nil]
      field 'key_status', :string, nullable: true
    end

    # DomainReports of the contract.
    class DomainReports < Model
      # The domain that they are about.
      # @return [String]
      field 'domain', :string
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'since', :string
      # DMARC aggregate reports, added up.
      # @return [Types::DmarcSummary]
      field 'dmarc', [:ref, 'DmarcSummary']
      # TLS reports, added up.
      # @return [Types::TlsSummary]
      field 'tls', [:ref, 'TlsSummary']
    end

    # DomainRequirements of the contract.
    class DomainRequirements < Model
      # The sending domain.
      # @return [String]
      field 'domain', :string
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'since', :string
      # One for each rule.
      # @return [Array<Types::SenderRequirement>]
      field 'requirements', [:array, [:ref, 'SenderRequirement']]
    end

    # EmailBounced of the contract.
    class EmailBounced < Model
      # The type of the event.
      # @return [String]
      field 'type', :string, essential: true
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'created_at', :string
      # The event.
      # @return [Types::EmailBouncedData]
      field 'data', [:ref, 'EmailBouncedData']
    end

    # EmailBouncedData of the contract.
    class EmailBouncedData < Model
      # UUIDv7.
      # @return [String]
      field 'message_id', :string
      # UUIDv7.
      # @return [String]
      field 'event_id', :string
      # Recipient address.
      # @return [String]
      field 'to', :string
      # How it bounced.
      # @return [Types::BounceType]
      field 'bounce_type', [:ref, 'BounceType']
      # How, why, and who said so.
      # @return [Types::Bounce, nil]
      field 'bounce', [:ref, 'Bounce'], required: false
      # SMTP reply code (RFC 5321).
      # @return [Integer, nil]
      field 'reply_code', :integer, nullable: true
      # Enhanced status code (RFC 3463), where there was one.
      # @return [String, nil]
      field 'enhanced', :string, nullable: true
      # Text of the server's reply.
      # @return [String]
      field 'reply', :string
      # True: a server accepted the message and later reported that it could not deliver it.
      # @return [Boolean]
      field 'asynchronous', :boolean
    end

    # EmailComplained of the contract.
    class EmailComplained < Model
      # The type of the event.
      # @return [String]
      field 'type', :string, essential: true
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'created_at', :string
      # The event.
      # @return [Types::EmailComplainedData]
      field 'data', [:ref, 'EmailComplainedData']
    end

    # EmailComplainedData of the contract.
    class EmailComplainedData < Model
      # UUIDv7.
      # @return [String]
      field 'message_id', :string
      # UUIDv7.
      # @return [String]
      field 'event_id', :string
      # Recipient address.
      # @return [String]
      field 'to', :string
      # The kind of complaint, such as abuse (RFC 5965 §7.3).
      # @return [String]
      field 'feedback_type', :string
    end

    # EmailDeferred of the contract.
    class EmailDeferred < Model
      # The type of the event.
      # @return [String]
      field 'type', :string, essential: true
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'created_at', :string
      # The event.
      # @return [Types::EmailDeferredData]
      field 'data', [:ref, 'EmailDeferredData']
    end

    # EmailDeferredData of the contract.
    class EmailDeferredData < Model
      # UUIDv7.
      # @return [String]
      field 'message_id', :string
      # UUIDv7.
      # @return [String]
      field 'event_id', :string
      # Recipient address.
      # @return [String]
      field 'to', :string
      # Number of the attempt, from 1.
      # @return [Integer]
      field 'attempt', :integer
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'next_attempt_at', :string
      # Why, and who said so.
      # @return [Types::Deferral, nil]
      field 'deferral', [:ref, 'Deferral'], required: false
      # SMTP reply code (RFC 5321).
      # @return [Integer, nil]
      field 'reply_code', :integer, nullable: true
      # Enhanced status code (RFC 3463), where there was one.
      # @return [String, nil]
      field 'enhanced', :string, nullable: true
      # Text of the server's reply.
      # @return [String]
      field 'reply', :string
    end

    # EmailQueued of the contract.
    class EmailQueued < Model
      # The type of the event.
      # @return [String]
      field 'type', :string, essential: true
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'created_at', :string
      # The event.
      # @return [Types::EmailQueuedData]
      field 'data', [:ref, 'EmailQueuedData']
    end

    # EmailQueuedData of the contract.
    class EmailQueuedData < Model
      # UUIDv7.
      # @return [String]
      field 'message_id', :string
      # UUIDv7.
      # @return [String]
      field 'event_id', :string
      # The From address.
      # @return [String]
      field 'from', :string
      # The recipient.
      # @return [String]
      field 'to', :string
      # The subject.
      # @return [String]
      field 'subject', :string
      # True: the message is certified.
      # @return [Boolean]
      field 'certified', :boolean
    end

    # EmailSealed of the contract.
    class EmailSealed < Model
      # The type of the event.
      # @return [String]
      field 'type', :string, essential: true
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'created_at', :string
      # The event.
      # @return [Types::EmailSealedData]
      field 'data', [:ref, 'EmailSealedData']
    end

    # EmailSealedData of the contract.
    class EmailSealedData < Model
      # UUIDv7.
      # @return [String]
      field 'message_id', :string
      # UUIDv7.
      # @return [String]
      field 'event_id', :string
      # UUIDv7.
      # @return [String]
      field 'batch_id', :string
      # SHA-256, lower-case hex.
      # @return [String]
      field 'merkle_root', :string
      # UUIDv7.
      # @return [String]
      field 'certificate_id', :string
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'sealed_at', :string
    end

    # EmailSent of the contract.
    class EmailSent < Model
      # The type of the event.
      # @return [String]
      field 'type', :string, essential: true
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'created_at', :string
      # The event.
      # @return [Types::EmailSentData]
      field 'data', [:ref, 'EmailSentData']
    end

    # EmailSentData of the contract.
    class EmailSentData < Model
      # UUIDv7.
      # @return [String]
      field 'message_id', :string
      # UUIDv7.
      # @return [String]
      field 'event_id', :string
      # Recipient address.
      # @return [String]
      field 'to', :string
      # Host name of the mail server.
      # @return [String, nil]
      field 'mx', :string, nullable: true
      # SMTP reply code (RFC 5321).
      # @return [Integer, nil]
      field 'reply_code', :integer, nullable: true
      # Enhanced status code (RFC 3463), where there was one.
      # @return [String, nil]
      field 'enhanced', :string, nullable: true
      # Text of the server's reply.
      # @return [String]
      field 'reply', :string
      # How the connection was encrypted; null if it was not.
      # @return [Types::SessionTls, nil]
      field 'tls', [:ref, 'SessionTls'], nullable: true
    end

    # Every error answer.
    class Error < Model
      # The fault, and how to repair it.
      # @return [Types::ErrorDetail]
      field 'error', [:ref, 'ErrorDetail'], essential: true
    end

    # ErrorDetail of the contract.
    class ErrorDetail < Model
      # @return [Types::ErrorCode]
      field 'code', [:ref, 'ErrorCode'], essential: true
      # For people: what is wrong and how to fix it.
      # @return [String]
      field 'message', :string
    end

    # Event of the contract.
    class Event < Model
      # UUIDv7.
      # @return [String]
      field 'id', :string, essential: true
      # @return [Types::RecordedEventType]
      field 'type', [:ref, 'RecordedEventType'], essential: true
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'created_at', :string
      # Fields that webhooks carry in data besides message_id and event_id.
      # @return [Hash{String => Object}]
      field 'data', [:map, :json]
    end

    # EventPage of the contract.
    class EventPage < Model
      # The entries, in order.
      # @return [Array<Types::Event>]
      field 'data', [:array, [:ref, 'Event']], essential: true
      # Pass it as after to get the next page; null on the last page.
      # @return [String, nil]
      field 'next_cursor', :string, nullable: true, essential: true
    end

    # Evidence of the contract.
    class Evidence < Model
      # UUIDv7.
      # @return [String]
      field 'message_id', :string, essential: true
      # SHA-256 of the manifest: the entry in the log.
      # @return [String]
      field 'canonical_hash', :string
      # UUIDv7.
      # @return [String]
      field 'batch_id', :string
      # Root of the log at tree_size.
      # @return [String]
      field 'merkle_root', :string
      # Place in the log, counted from 0.
      # @return [Integer]
      field 'leaf_index', :integer
      # Size of the checkpoint that ends the batch.
      # @return [Integer]
      field 'tree_size', :integer
      # UUIDv7.
      # @return [String]
      field 'certificate_id', :string
      # genTime of the constancia.
      # @return [String]
      field 'sealed_at', :string
      # @return [Types::Certificate]
      field 'certificate', [:ref, 'Certificate']
      # A time-stamp over this message alone, if one was asked for.
      # @return [Types::Certificate, nil]
      field 'message_certificate', [:ref, 'Certificate'], nullable: true
      # Renewals of `certificate`, oldest first, each made before a certificate of the previous chain
      # ended. The proof bundle has them.
      # @return [Array<Types::Certificate>]
      field 'renewals', [:array, [:ref, 'Certificate']]
      # When the first certificate in the chain of the newest of these time-stamps ends; it is renewed
      # before then. null: not yet determined.
      # @return [String, nil]
      field 'covered_until', :string, nullable: true
      # The outcomes of the message, each a leaf of its own.
      # @return [Array<Types::DeliveryOutcome>]
      field 'delivery', [:array, [:ref, 'DeliveryOutcome']]
      # How many outcomes the log signs for: those of `delivery` that are in it. null: its key is gone,
      # and so is that of the log that went on after it. Absent: the server is older than this field.
      # @return [Types::OutcomesCount, nil]
      field 'outcomes', [:ref, 'OutcomesCount'], required: false, nullable: true
      # When the message was erased: its content, its addresses and the replies of servers can no longer
      # be shown; everything else here stays valid.
      # @return [String, nil]
      field 'content_deleted_at', :string, nullable: true
    end

    # HeaderField of the contract.
    class HeaderField < Model
      # Name of the field, as it was written.
      # @return [String]
      field 'name', :string
      # Unfolded and decoded.
      # @return [String]
      field 'value', :string
    end

    # Health of the contract.
    class Health < Model
      # ok, or why it is not.
      # @return [String]
      field 'status', :string, essential: true
      # A database server is lost: requests of its accounts are answered 503. Readiness only.
      # @return [Boolean, nil]
      field 'degraded', :boolean, required: false
    end

    # LeakReport of the contract.
    class LeakReport < Model
      # The key, the keys that it made, and those that these made, if they were not revoked.
      # @return [Array<Types::LeakedKey>]
      field 'revoked_keys', [:array, [:ref, 'LeakedKey']], essential: true
      # Webhooks that any of these keys registered.
      # @return [Array<Types::LeakedWebhook>]
      field 'deleted_webhooks', [:array, [:ref, 'LeakedWebhook']], essential: true
      # Changes made with these keys, newest first, at most 100.
      # @return [Array<Types::AuditEntry>]
      field 'changes', [:array, [:ref, 'AuditEntry']], essential: true
      # @return [Types::LeakedSends]
      field 'messages', [:ref, 'LeakedSends'], essential: true
    end

    # LeakedKey of the contract.
    class LeakedKey < Model
      # UUIDv7.
      # @return [String]
      field 'id', :string, essential: true
      # Name given to the key.
      # @return [String]
      field 'name', :string, essential: true
    end

    # Messages sent with these keys, since the service notes it.
    class LeakedSends < Model
      # Among the newest 100000 messages of the account.
      # @return [Integer]
      field 'count', :integer, essential: true
      # RFC 3339, UTC, milliseconds.
      # @return [String, nil]
      field 'first_at', :string, nullable: true, essential: true
      # RFC 3339, UTC, milliseconds.
      # @return [String, nil]
      field 'last_at', :string, nullable: true, essential: true
      # Newest first, at most 100.
      # @return [Array<String>]
      field 'ids', [:array, :string], essential: true
    end

    # LeakedWebhook of the contract.
    class LeakedWebhook < Model
      # UUIDv7.
      # @return [String]
      field 'id', :string, essential: true
      # Where its events went.
      # @return [String]
      field 'url', :string, essential: true
    end

    # LogCertificate of the contract.
    class LogCertificate < Model
      # Leaves that the checkpoint covers.
      # @return [Integer]
      field 'tree_size', :integer
      # Leaves before this batch.
      # @return [Integer]
      field 'previous_tree_size', :integer
      # UUIDv7.
      # @return [String]
      field 'batch_id', :string
      # The signed note.
      # @return [String]
      field 'checkpoint', :string
      # @return [Types::Certificate]
      field 'certificate', [:ref, 'Certificate']
      # The authority's answer (RFC 3161), DER in base64.
      # @return [String]
      field 'token', :string
      # Pinned roots and policies that the token was verified against.
      # @return [Object]
      field 'policy', :json
    end

    # MailReport of the contract.
    class MailReport < Model
      # Effect of the report on the message. none: it is recorded but changed nothing.
      # @return [String]
      field 'effect', :string
      # other: the report is about another recipient or another message. receipt: a statement of the
      # recipient's program (RFC 8098); claims.reply.text says what it did, and no one proves that anybody
      # read the message. acknowledged: the recipient's own mail, signed by their mail domain.
      # @return [String]
      field 'says', :string
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'received_at', :string
      # @return [Types::ReportedByMail]
      field 'reported_by_mail', [:ref, 'ReportedByMail']
    end

    # MailReportList of the contract.
    class MailReportList < Model
      # The entries, in order.
      # @return [Array<Types::MailReport>]
      field 'data', [:array, [:ref, 'MailReport']], essential: true
    end

    # Message of the contract.
    class Message < Model
      # UUIDv7.
      # @return [String]
      field 'id', :string, essential: true
      # Idempotency-Key of the send.
      # @return [String]
      field 'idempotency_key', :string
      # As submitted: an address, or Name <address>.
      # @return [String]
      field 'from', :string
      # As submitted: an address, or Name <address>.
      # @return [String]
      field 'to', :string
      # Subject as sent; rendered if it came from a template.
      # @return [String]
      field 'subject', :string
      # True: the message is in the Merkle log or will be; false: never.
      # @return [Boolean]
      field 'certified', :boolean
      # Where the message is on its way.
      # @return [Types::MessageStatus]
      field 'status', [:ref, 'MessageStatus']
      # UUIDv7.
      # @return [String, nil]
      field 'template_id', :string, nullable: true
      # Your own labels.
      # @return [Array<String>]
      field 'tags', [:array, :string]
      # Your own key-value pairs.
      # @return [Hash{String => String}]
      field 'metadata', [:map, :string]
      # Size of the composed message in bytes, before the DKIM signatures.
      # @return [Integer]
      field 'size_bytes', :integer
      # When the message was accepted and committed.
      # @return [String]
      field 'created_at', :string
      # When a message that was scheduled is sent, or was to be sent; null: it was sent at once.
      # @return [String, nil]
      field 'send_at', :string, nullable: true
      # When the message was queued: created_at, or when it fell due. null while it is scheduled.
      # @return [String, nil]
      field 'queued_at', :string, nullable: true
      # When the receiving server accepted the message (2xx to the final dot).
      # @return [String, nil]
      field 'sent_at', :string, nullable: true
      # When the message was last deferred.
      # @return [String, nil]
      field 'deferred_at', :string, nullable: true
      # When the message was permanently refused.
      # @return [String, nil]
      field 'bounced_at', :string, nullable: true
      # When the message was cancelled, before any server took it.
      # @return [String, nil]
      field 'cancelled_at', :string, nullable: true
      # When the recipient complained.
      # @return [String, nil]
      field 'complained_at', :string, nullable: true
      # genTime of the constancia over its batch.
      # @return [String, nil]
      field 'sealed_at', :string, nullable: true
      # Number of delivery attempts made.
      # @return [Integer]
      field 'attempts', :integer
      # When the next attempt is due; send_at while it is scheduled; null when there will be none.
      # @return [String, nil]
      field 'next_attempt_at', :string, nullable: true
      # Reply to the last attempt. If reported_by_mail is set: what the report says; mx is then null.
      # @return [Types::DecidingReply, nil]
      field 'last_reply', [:ref, 'DecidingReply'], nullable: true
      # How and why it bounced; null: it did not.
      # @return [Types::Bounce, nil]
      field 'bounce', [:ref, 'Bounce'], required: false, nullable: true
      # Why the last attempt did not succeed; null unless it is deferred.
      # @return [Types::Deferral, nil]
      field 'deferral', [:ref, 'Deferral'], required: false, nullable: true
      # @return [Types::ReportedByMail, nil]
      field 'reported_by_mail', [:ref, 'ReportedByMail'], required: false
      # When its content was deleted, because its retention period ended or because its erasure was
      # requested; after an erasure to, subject, tags and metadata are empty.
      # @return [String, nil]
      field 'content_deleted_at', :string, nullable: true
      # Only while an archive alone has the content: the UTC month of that archive. Reading the content
      # then takes longer, and is 503 while the archive cannot be reached.
      # @return [String, nil]
      field 'content_archived_in', :string, required: false
      # State of the acknowledgement; null: nobody asked for one.
      # @return [Types::Acknowledgement, nil]
      field 'acknowledgement', [:ref, 'Acknowledgement'], required: false, nullable: true
      # Certified only: a signed note in which the log promises to include the message; in the answer to a
      # send, several messages may share one signature, each with its path to it. Keep it as it is (see
      # docs/evidence-format.md).
      # @return [String, nil]
      field 'promise', :string, nullable: true
      # Only in the answer to a send with several recipients: the messages to the others, in the order of
      # to, cc and bcc.
      # @return [Array<Types::MessageCopy>, nil]
      field 'copies', [:array, [:ref, 'MessageCopy']], required: false
      # Only in the answer to a send with skip_suppressed that left out recipients.
      # @return [Array<Types::SkippedRecipient>, nil]
      field 'skipped', [:array, [:ref, 'SkippedRecipient']], required: false
      # Only in the answer to a send in which something was dropped, guessed or changed, or cannot work
      # yet. The message was accepted.
      # @return [Array<Types::SendWarning>, nil]
      field 'warnings', [:array, [:ref, 'SendWarning']], required: false
    end

    # MessageChange of the contract.
    class MessageChange < Model
      # RFC 3339 with an offset from UTC; null: now.
      # @return [String, nil]
      field 'send_at', :string, nullable: true, essential: true
    end

    # MessageCopy of the contract.
    class MessageCopy < Model
      # UUIDv7.
      # @return [String]
      field 'id', :string, essential: true
      # As submitted: an address, or Name <address>.
      # @return [String]
      field 'recipient', :string
      # The field that names the recipient first.
      # @return [String]
      field 'field', :string
    end

    # MessageLink of the contract.
    class MessageLink < Model
      # Place of the part among all, from 0; containers are not counted.
      # @return [Integer]
      field 'part', :integer
      # The address that a click opens, as a browser understands it.
      # @return [String]
      field 'url', :string
      # The text of the link, shortened.
      # @return [String]
      field 'text', :string
    end

    # MessagePage of the contract.
    class MessagePage < Model
      # The entries, in order.
      # @return [Array<Types::Message>]
      field 'data', [:array, [:ref, 'Message']], essential: true
      # Pass it as after to get the next page; null on the last page.
      # @return [String, nil]
      field 'next_cursor', :string, nullable: true, essential: true
      # With a filter, on a page that is not full: created_at of the oldest message read. Continue with
      # next_cursor. null: the page is full, or it is the last.
      # @return [String, nil]
      field 'scanned_to', :string, nullable: true
    end

    # MessagePart of the contract.
    class MessagePart < Model
      # Place of the part among all, from 0; containers are not counted.
      # @return [Integer]
      field 'index', :integer
      # In lower case, without parameters, as the message says.
      # @return [String]
      field 'media_type', :string
      # As the message says: make it safe before you use it as a path.
      # @return [String, nil]
      field 'filename', :string, nullable: true
      # inline or attachment; null if the part does not say.
      # @return [String, nil]
      field 'disposition', :string, nullable: true
      # The Content-ID that cid: addresses in HTML refer to.
      # @return [String, nil]
      field 'content_id', :string, nullable: true
      # Bytes of the decoded content.
      # @return [Integer]
      field 'size_bytes', :integer
      # SHA-256, lower-case hex.
      # @return [String]
      field 'sha256', :string
    end

    # MessageParts of the contract.
    class MessageParts < Model
      # The message's own header fields, in order.
      # @return [Array<Types::HeaderField>]
      field 'headers', [:array, [:ref, 'HeaderField']]
      # In the order and numbering of the evidence.
      # @return [Array<Types::MessagePart>]
      field 'parts', [:array, [:ref, 'MessagePart']]
      # Each link of the texts once.
      # @return [Array<Types::MessageLink>]
      field 'links', [:array, [:ref, 'MessageLink']]
      # Addresses that a mail program fetches if it shows remote content: images, style sheets, frames.
      # @return [Array<Types::RemoteAddress>]
      field 'remote', [:array, [:ref, 'RemoteAddress']]
      # True: there are more links or remote addresses than the 1,000 of each that are listed.
      # @return [Boolean]
      field 'truncated', :boolean
    end

    # NewApiKey of the contract.
    class NewApiKey < Model
      # Name to recognize the key by.
      # @return [String]
      field 'name', :string, essential: true
      # Scopes of the key.
      # @return [Array<Types::Scope>]
      field 'scopes', [:array, [:ref, 'Scope']], essential: true
      # Addresses, and *@domain, that the key may have in From. All, when omitted.
      # @return [Array<String>, nil]
      field 'senders', [:array, :string], required: false, nullable: true
      # IP addresses and networks that the key may be used from. All, when omitted.
      # @return [Array<String>, nil]
      field 'networks', [:array, :string], required: false, nullable: true
      # When the key stops working (RFC 3339).
      # @return [String, nil]
      field 'expires_at', :string, required: false, nullable: true
      # Kinds that the key may read but not change, although messages:send would let it. domains includes
      # their senders.
      # @return [Array<Types::ReadOnlyPart>, nil]
      field 'read_only', [:array, [:ref, 'ReadOnlyPart']], required: false, nullable: true
      # Each send waits until a person approves it in the portal. Until then it is refused as
      # approval_required; repeated after that, it is answered with the message.
      # @return [Boolean, nil]
      field 'needs_approval', :boolean, required: false, nullable: true
    end

    # NewDomain of the contract.
    class NewDomain < Model
      # Unicode names are mapped to A-labels (UTS-46).
      # @return [String]
      field 'name', :string, essential: true
    end

    # NewSender of the contract.
    class NewSender < Model
      # An address of a registered domain, or *@domain for all of them.
      # @return [String]
      field 'address', :string, essential: true
    end

    # NewSuppression of the contract.
    class NewSuppression < Model
      # The address that gets no more mail.
      # @return [String]
      field 'address', :string, essential: true
      # Why, in your words.
      # @return [String, nil]
      field 'reason', :string, required: false, nullable: true
    end

    # At least one of text and html is required.
    class NewTemplate < Model
      # Name of the template, unique in the account.
      # @return [String]
      field 'name', :string, essential: true
      # With {{variables}} (Liquid); line breaks in a value become spaces.
      # @return [String]
      field 'subject', :string, essential: true
      # Plain body, with {{variables}} (Liquid).
      # @return [String, nil]
      field 'text', :string, required: false, nullable: true
      # HTML body, with {{variables}} (Liquid); values are escaped.
      # @return [String, nil]
      field 'html', :string, required: false, nullable: true
      # By language tag: a send with locale es-MX takes es-MX, else es, else the content of the template
      # itself.
      # @return [Hash{String => Types::NewTemplateVariant}, nil]
      field 'variants', [:map, [:ref, 'NewTemplateVariant']], required: false, nullable: true
    end

    # NewTemplateVariant of the contract.
    class NewTemplateVariant < Model
      # With {{variables}} (Liquid); line breaks in a value become spaces.
      # @return [String]
      field 'subject', :string, essential: true
      # Plain body, with {{variables}} (Liquid).
      # @return [String, nil]
      field 'text', :string, required: false, nullable: true
      # HTML body, with {{variables}} (Liquid); values are escaped.
      # @return [String, nil]
      field 'html', :string, required: false, nullable: true
    end

    # NewWebhook of the contract.
    class NewWebhook < Model
      # https, resolving to public addresses only; no credentials, no fragment. Checked now and at each
      # connection.
      # @return [String]
      field 'url', :string, essential: true
      # Event types that the endpoint receives.
      # @return [Array<Types::Subscription>]
      field 'events', [:array, [:ref, 'Subscription']], essential: true
      # A label of your own.
      # @return [String, nil]
      field 'description', :string, required: false, nullable: true
    end

    # OpenShare of the contract.
    class OpenShare < Model
      # Text after # in the link.
      # @return [String]
      field 'secret', :string, essential: true
    end

    # OutcomesCount of the contract.
    class OutcomesCount < Model
      # Outcomes that the log counts of the message.
      # @return [Integer]
      field 'count', :integer
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'as_of', :string
      # Signed note (C2SP tlog-cosignature): of how many outcomes the log knew at that time. The proof
      # bundle holds it as outcomes.note.
      # @return [String]
      field 'note', :string
    end

    # ProofBundle of the contract.
    class ProofBundle < Model
      # The format of this document.
      # @return [String]
      field 'type', :string
      # The files of the bundle.
      # @return [Array<Types::ProofBundleEntry>]
      field 'entries', [:array, [:ref, 'ProofBundleEntry']], essential: true
    end

    # ProofBundleEntry of the contract.
    class ProofBundleEntry < Model
      # Path of the file in the bundle.
      # @return [String]
      field 'name', :string, essential: true
      # The content, where it is text.
      # @return [String, nil]
      field 'text', :string, required: false
      # The content otherwise.
      # @return [String, nil]
      field 'base64', :string, required: false
    end

    # QuotaUsage of the contract.
    class QuotaUsage < Model
      # Messages accepted this month; replays and refused sends are not counted.
      # @return [Integer]
      field 'used', :integer
      # The quota; null if there is none.
      # @return [Integer]
      field 'quota', :integer
      # Messages left of it.
      # @return [Integer]
      field 'remaining', :integer
      # Price of the usage this month, in cents.
      # @return [Integer]
      field 'price_cents', :integer
    end

    # Rates of the contract.
    class Rates < Model
      # Each day of the period.
      # @return [Integer]
      field 'days', :integer
      # First UTC day of the window.
      # @return [String]
      field 'from', :string
      # Last UTC day of the window: today.
      # @return [String]
      field 'to', :string
      # @return [Types::RatesCounters]
      field 'counters', [:ref, 'RatesCounters']
      # The rates over the period.
      # @return [Types::RatesFractions]
      field 'rates', [:ref, 'RatesFractions']
      # One entry per day of the window, including days with zeros.
      # @return [Array<Types::RatesDay>]
      field 'daily', [:array, [:ref, 'RatesDay']]
      # Why messages accepted in the window bounced, most frequent first; of the latest 10000.
      # @return [Array<Types::BounceReasonShare>, nil]
      field 'bounce_reasons', [:array, [:ref, 'BounceReasonShare']], required: false
      # Why messages that are deferred now wait, whenever they were accepted, most frequent first; of
      # 10000.
      # @return [Array<Types::BounceReasonShare>, nil]
      field 'deferral_reasons', [:array, [:ref, 'BounceReasonShare']], required: false
    end

    # A message counts once per counter, on the UTC day when it first entered that state.
    class RatesCounters < Model
      # Messages that were accepted.
      # @return [Integer]
      field 'ingested', :integer
      # Messages that recipients’ servers took.
      # @return [Integer]
      field 'sent', :integer
      # Messages that were deferred at least once.
      # @return [Integer]
      field 'deferred', :integer
      # Messages that bounced.
      # @return [Integer]
      field 'bounced', :integer
      # Messages that recipients called spam.
      # @return [Integer]
      field 'complained', :integer
      # Messages that were sealed.
      # @return [Integer]
      field 'sealed', :integer
    end

    # RatesDay of the contract.
    class RatesDay < Model
      # UTC day.
      # @return [String]
      field 'date', :string
      # Messages that were accepted.
      # @return [Integer]
      field 'ingested', :integer
      # Messages that recipients’ servers took.
      # @return [Integer]
      field 'sent', :integer
      # Messages that were deferred at least once.
      # @return [Integer]
      field 'deferred', :integer
      # Messages that bounced.
      # @return [Integer]
      field 'bounced', :integer
      # Messages that recipients called spam.
      # @return [Integer]
      field 'complained', :integer
      # Messages that were sealed.
      # @return [Integer]
      field 'sealed', :integer
    end

    # RatesFractions of the contract.
    class RatesFractions < Model
      # sent / ingested; null if the divisor is 0.
      # @return [Numeric, nil]
      field 'delivery', :number, nullable: true
      # deferred / ingested; null if the divisor is 0.
      # @return [Numeric, nil]
      field 'deferral', :number, nullable: true
      # bounced / ingested; null if the divisor is 0.
      # @return [Numeric, nil]
      field 'bounce', :number, nullable: true
      # complained / sent; null if the divisor is 0.
      # @return [Numeric, nil]
      field 'complaint', :number, nullable: true
      # sealed / certified ingested; null if the divisor is 0.
      # @return [Numeric, nil]
      field 'seal', :number, nullable: true
    end

    # RemoteAddress of the contract.
    class RemoteAddress < Model
      # Place of the part among all, from 0; containers are not counted.
      # @return [Integer]
      field 'part', :integer
      # The address that would be loaded.
      # @return [String]
      field 'url', :string
    end

    # RenderRequest of the contract.
    class RenderRequest < Model
      # The template's data.
      # @return [Hash{String => Object}, nil]
      field 'variables', [:map, :json], required: false, nullable: true
      # Language tag: chooses a variant of the template.
      # @return [String, nil]
      field 'locale', :string, required: false, nullable: true
    end

    # RenderedDraft of the contract.
    class RenderedDraft < Model
      # The subject.
      # @return [String]
      field 'subject', :string, essential: true
      # The text part.
      # @return [String, nil]
      field 'text', :string, nullable: true
      # The HTML part.
      # @return [String, nil]
      field 'html', :string, nullable: true
    end

    # RenderedTemplate of the contract.
    class RenderedTemplate < Model
      # UUIDv7.
      # @return [String]
      field 'template_id', :string
      # The version that was rendered.
      # @return [Integer]
      field 'version', :integer
      # The variant that was rendered; null: the template's own content.
      # @return [String, nil]
      field 'locale', :string, nullable: true
      # The subject.
      # @return [String]
      field 'subject', :string, essential: true
      # The text part.
      # @return [String, nil]
      field 'text', :string, nullable: true
      # The HTML part.
      # @return [String, nil]
      field 'html', :string, nullable: true
    end

    # Reply of the contract.
    class Reply < Model
      # SMTP reply code (RFC 5321).
      # @return [Integer]
      field 'code', :integer
      # Enhanced status code (RFC 3463), where there was one.
      # @return [String, nil]
      field 'enhanced', :string, nullable: true
      # Text of the server's reply.
      # @return [String]
      field 'text', :string
    end

    # Claims of the report. Only its author vouches for them.
    class ReportClaims < Model
      # Final-Recipient of the report.
      # @return [String, nil]
      field 'final_recipient', :string, nullable: true
      # Original-Recipient of the report.
      # @return [String, nil]
      field 'original_recipient', :string, nullable: true
      # Remote-MTA: the server that refused.
      # @return [String, nil]
      field 'remote_mta', :string, nullable: true
      # The reply that the report quotes.
      # @return [Types::ReportedReply, nil]
      field 'reply', [:ref, 'ReportedReply'], nullable: true
      # Type of the complaint.
      # @return [String, nil]
      field 'feedback_type', :string, nullable: true
    end

    # ReportDkim of the contract.
    class ReportDkim < Model
      # @return [Types::AuthenticationResult]
      field 'result', [:ref, 'AuthenticationResult']
      # Domains whose signature on the report is valid.
      # @return [Array<String>]
      field 'domains', [:array, :string]
    end

    # Host that delivered the report to this service.
    class ReportPeer < Model
      # Address that the report came from.
      # @return [String]
      field 'ip', :string
      # Name that the host gave in EHLO or HELO.
      # @return [String]
      field 'helo', :string
      # TLS of the connection; null: plain text.
      # @return [Types::TlsParameters, nil]
      field 'tls', [:ref, 'TlsParameters'], nullable: true
    end

    # ReportSpf of the contract.
    class ReportSpf < Model
      # @return [Types::AuthenticationResult]
      field 'result', [:ref, 'AuthenticationResult']
      # Domain whose policy was looked up.
      # @return [String, nil]
      field 'domain', :string, nullable: true
    end

    # Present only if a report that came by mail ended the message: an asynchronous bounce or a
    # complaint.
    class ReportedByMail < Model
      # @return [Types::ReportPeer]
      field 'peer', [:ref, 'ReportPeer']
      # Envelope sender of the report; empty for <>.
      # @return [String]
      field 'mail_from', :string
      # DKIM of the report itself.
      # @return [Types::ReportDkim]
      field 'dkim', [:ref, 'ReportDkim']
      # SPF of the report itself.
      # @return [Types::ReportSpf]
      field 'spf', [:ref, 'ReportSpf']
      # Link of the report to the server that accepted the message or to the domain of its recipient.
      # null: nothing; the report then suppresses nobody.
      # @return [String, nil]
      field 'vouched_by', :string, nullable: true
      # @return [Types::ReportClaims]
      field 'claims', [:ref, 'ReportClaims']
      # SHA-256 of the mail as received, lower-case hex; in the stored copy a token is hidden.
      # @return [String]
      field 'sha256', :string
    end

    # ReportedReply of the contract.
    class ReportedReply < Model
      # SMTP reply code (RFC 5321).
      # @return [Integer, nil]
      field 'code', :integer, nullable: true
      # Enhanced status code (RFC 3463), where there was one.
      # @return [String, nil]
      field 'enhanced', :string, nullable: true
      # Text of the server's reply.
      # @return [String, nil]
      field 'text', :string, nullable: true
    end

    # Send of the contract.
    class Send < Model
      # An address of a verified domain, or Name <address>.
      # @return [String]
      field 'from', :string, essential: true
      # @return [Types::Recipients]
      field 'to', [:ref, 'Recipients'], essential: true
      # Shown in Cc: an address or a list.
      # @return [Types::CopyRecipients, nil]
      field 'cc', [:ref, 'CopyRecipients'], required: false, nullable: true
      # Blind copies: an address or a list, which no message and no evidence shows.
      # @return [Types::CopyRecipients, nil]
      field 'bcc', [:ref, 'CopyRecipients'], required: false, nullable: true
      # true: leave out suppressed recipients and report them in skipped, as long as one is left.
      # Otherwise one suppressed recipient refuses the request.
      # @return [Boolean, nil]
      field 'skip_suppressed', :boolean, required: false, nullable: true
      # At most 998 bytes of UTF-8.
      # @return [String, nil]
      field 'subject', :string, required: false, nullable: true
      # Plain body. At least one of text, html, template and template_id is required.
      # @return [String, nil]
      field 'text', :string, required: false, nullable: true
      # HTML body.
      # @return [String, nil]
      field 'html', :string, required: false, nullable: true
      # Overrides the account's default_certified for this message.
      # @return [Boolean, nil]
      field 'certified', :boolean, required: false, nullable: true
      # A template of this account. It gives whichever of subject, text and html the request leaves out.
      # @return [String, nil]
      field 'template_id', :string, required: false, nullable: true
      # The name of a template of this account, in place of template_id.
      # @return [String, nil]
      field 'template', :string, required: false, nullable: true
      # Language tag that chooses a variant of the template: es-MX, else es, else the template's own
      # content. Also the language in which a recipient is asked to acknowledge the message: es or en.
      # @return [String, nil]
      field 'locale', :string, required: false, nullable: true
      # The template's data.
      # @return [Hash{String => Object}, nil]
      field 'variables', [:map, :json], required: false, nullable: true
      # Where replies go: an address or a list.
      # @return [Types::ReplyTo, nil]
      field 'reply_to', [:ref, 'ReplyTo'], required: false, nullable: true
      # When to send it: RFC 3339 with an offset from UTC, at most 30 days ahead; at once when omitted. It
      # is accepted, and promised if certified, now.
      # @return [String, nil]
      field 'send_at', :string, required: false, nullable: true
      # Asks the recipient to acknowledge receipt.
      # @return [Types::AcknowledgementRequest, nil]
      field 'acknowledgement', [:ref, 'AcknowledgementRequest'], required: false, nullable: true
      # Until when the recipient may acknowledge it: RFC 3339 with an offset from UTC, 1 hour to 90 days
      # after the message is sent; 15 days when omitted.
      # @return [String, nil]
      field 'acknowledge_by', :string, required: false, nullable: true
      # Additional header fields: X-*, List-*, References, In-Reply-To, Auto-Submitted, Feedback-ID,
      # Importance, Precedence, TLS-Required and others that docs/submitted-messages.md lists.
      # @return [Hash{String => String}, nil]
      field 'headers', [:map, :string], required: false, nullable: true
      # Files and inline images.
      # @return [Array<Types::Attachment>, nil]
      field 'attachments', [:array, [:ref, 'Attachment']], required: false, nullable: true
      # Labels to filter messages by; never part of the mail.
      # @return [Array<String>, nil]
      field 'tags', [:array, :string], required: false, nullable: true
      # Up to 20 key-value pairs of your own; never part of the mail.
      # @return [Hash{String => String}, nil]
      field 'metadata', [:map, :string], required: false, nullable: true
    end

    # SendWarning of the contract.
    class SendWarning < Model
      # header_dropped: a header was not sent; charset_guessed: text did not say its charset and was taken
      # as UTF-8 or Windows-1252; name_changed: the From name claimed another domain, or a name held
      # invisible characters, a file name control characters too; codes_not_sent: the recipient is asked
      # to acknowledge the message, and the page cannot send its code yet.
      # @return [String]
      field 'code', :string
      # The header, body, filename or acknowledgement.
      # @return [String]
      field 'field', :string
      # The change, and how to avoid it.
      # @return [String]
      field 'message', :string
    end

    # Sender of the contract.
    class Sender < Model
      # UUIDv7.
      # @return [String]
      field 'id', :string, essential: true
      # Normalized for comparison: lower case, domain in A-labels.
      # @return [String]
      field 'address', :string
      # UUIDv7.
      # @return [String]
      field 'domain_id', :string
      # False: the address is refused, even if *@domain is active.
      # @return [Boolean]
      field 'active', :boolean
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'created_at', :string
    end

    # SenderChange of the contract.
    class SenderChange < Model
      # false: the address may no longer send.
      # @return [Boolean]
      field 'active', :boolean, essential: true
    end

    # SenderPage of the contract.
    class SenderPage < Model
      # The entries, in order.
      # @return [Array<Types::Sender>]
      field 'data', [:array, [:ref, 'Sender']], essential: true
      # Pass it as after to get the next page; null on the last page.
      # @return [String, nil]
      field 'next_cursor', :string, nullable: true, essential: true
    end

    # SenderRequirement of the contract.
    class SenderRequirement < Model
      # The rule that large receivers set.
      # @return [Types::SenderRule]
      field 'rule', [:ref, 'SenderRule']
      # @return [Types::RequirementVerdict]
      field 'verdict', [:ref, 'RequirementVerdict']
      # How many of `total` were counted: aligned messages, messages that can be unsubscribed, complaints,
      # addresses with reverse DNS, sessions with TLS.
      # @return [Integer, nil]
      field 'part', :integer, nullable: true
      # Number of messages looked at; of one_click_unsubscribe the messages marked as sent to many
      # (List-Unsubscribe, List-Id, Precedence: bulk or list), and all of them where it is not_needed.
      # @return [Integer, nil]
      field 'total', :integer, nullable: true
      # Records, names or addresses that were looked at.
      # @return [Array<String>]
      field 'found', [:array, :string]
    end

    # Session of the contract.
    class Session < Model
      # Host name of the mail server.
      # @return [String]
      field 'mx', :string
      # IP address of the mail server.
      # @return [String]
      field 'address', :string
      # Port of the server.
      # @return [Integer]
      field 'port', :integer
      # IP address of this service on that connection.
      # @return [String, nil]
      field 'local_address', :string, nullable: true
      # Number of messages that the same connection had carried before.
      # @return [Integer]
      field 'earlier_messages', :integer
      # Policy that decided the use of TLS; under mta-sts and dane nothing is sent in plain text.
      # @return [String]
      field 'tls_policy', :string
      # TLS of the connection; null: plain text.
      # @return [Types::SessionTls, nil]
      field 'tls', [:ref, 'SessionTls'], nullable: true
      # The server’s last reply.
      # @return [Types::Reply, nil]
      field 'reply', [:ref, 'Reply'], nullable: true
      # The SMTP step to which the reply or the error belongs.
      # @return [String]
      field 'stage', :string
      # Failure outside the conversation, such as a time-out.
      # @return [Types::SessionError, nil]
      field 'error', [:ref, 'SessionError'], nullable: true
      # The lines of both sides, in order.
      # @return [Array<Types::TranscriptLine>]
      field 'transcript', [:array, [:ref, 'TranscriptLine']]
    end

    # SessionError of the contract.
    class SessionError < Model
      # The operating system’s or TLS’s code.
      # @return [String]
      field 'code', :string
      # The same in words.
      # @return [String]
      field 'message', :string
    end

    # SessionTls of the contract.
    class SessionTls < Model
      # Version of TLS.
      # @return [String]
      field 'version', :string
      # Cipher suite.
      # @return [String]
      field 'cipher', :string
      # SHA-256 of the peer certificate (DER), lower-case hex.
      # @return [String, nil]
      field 'certificate_sha256', :string, nullable: true
      # True if WebPKI accepts the certificate for the host name.
      # @return [Boolean]
      field 'authorized', :boolean
      # Why WebPKI does not accept the certificate.
      # @return [String, nil]
      field 'error', :string, nullable: true
    end

    # SkippedRecipient of the contract.
    class SkippedRecipient < Model
      # As submitted: an address, or Name <address>.
      # @return [String]
      field 'recipient', :string
      # The field that names the recipient first.
      # @return [String]
      field 'field', :string
      # The error code that the recipient alone would have been refused with.
      # @return [String]
      field 'reason', :string
    end

    # Suppression of the contract.
    class Suppression < Model
      # UUIDv7.
      # @return [String]
      field 'id', :string, essential: true
      # Normalized for comparison: lower case, domain in A-labels.
      # @return [String]
      field 'address', :string
      # Why, in the words of whoever added it.
      # @return [String]
      field 'reason', :string
      # Origin of the entry.
      # @return [String]
      field 'source', :string
      # The message whose bounce or complaint put it here.
      # @return [String, nil]
      field 'message_id', :string, nullable: true
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'created_at', :string
    end

    # SuppressionImport of the contract.
    class SuppressionImport < Model
      # Addresses that were added.
      # @return [Integer]
      field 'created', :integer
      # Lines whose address was on the list, or stands further up in the file.
      # @return [Integer]
      field 'known', :integer
      # Lines that were refused.
      # @return [Integer]
      field 'failed', :integer
      # Each refused line with its reason.
      # @return [Array<Types::SuppressionImportFailure>]
      field 'failures', [:array, [:ref, 'SuppressionImportFailure']]
    end

    # SuppressionImportFailure of the contract.
    class SuppressionImportFailure < Model
      # Line of the file, from 1.
      # @return [Integer]
      field 'line', :integer
      # Why the line was refused.
      # @return [Types::ErrorDetail]
      field 'error', [:ref, 'ErrorDetail']
    end

    # SuppressionPage of the contract.
    class SuppressionPage < Model
      # The entries, in order.
      # @return [Array<Types::Suppression>]
      field 'data', [:array, [:ref, 'Suppression']], essential: true
      # Pass it as after to get the next page; null on the last page.
      # @return [String, nil]
      field 'next_cursor', :string, nullable: true, essential: true
    end

    # Template of the contract.
    class Template < Model
      # UUIDv7.
      # @return [String]
      field 'id', :string, essential: true
      # Name of the template, unique in the account.
      # @return [String]
      field 'name', :string
      # Grows by one with each change of content; a message keeps the version it used.
      # @return [Integer]
      field 'version', :integer
      # With {{variables}} (Liquid); line breaks in a value become spaces.
      # @return [String]
      field 'subject', :string
      # Plain body, with {{variables}} (Liquid).
      # @return [String, nil]
      field 'text', :string, nullable: true
      # HTML body, with {{variables}} (Liquid); values are escaped.
      # @return [String, nil]
      field 'html', :string, nullable: true
      # By language tag: a send with locale es-MX takes es-MX, else es, else the content of the template
      # itself.
      # @return [Hash{String => Types::TemplateVariant}]
      field 'variants', [:map, [:ref, 'TemplateVariant']]
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'created_at', :string
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'updated_at', :string
    end

    # TemplateChange of the contract.
    class TemplateChange < Model
      # Name of the template, unique in the account.
      # @return [String, nil]
      field 'name', :string, required: false, nullable: true
      # With {{variables}} (Liquid); line breaks in a value become spaces.
      # @return [String, nil]
      field 'subject', :string, required: false, nullable: true
      # Plain body, with {{variables}} (Liquid).
      # @return [String, nil]
      field 'text', :string, required: false, nullable: true
      # HTML body, with {{variables}} (Liquid); values are escaped.
      # @return [String, nil]
      field 'html', :string, required: false, nullable: true
      # By language tag: a send with locale es-MX takes es-MX, else es, else the content of the template
      # itself.
      # @return [Hash{String => Types::NewTemplateVariant, nil}, nil]
      field 'variants', [:map, [:union, [[:ref, 'NewTemplateVariant'], :null]]], required: false, nullable: true
    end

    # At least one of text and html is required.
    class TemplateDraft < Model
      # With {{variables}} (Liquid); line breaks in a value become spaces.
      # @return [String]
      field 'subject', :string, essential: true
      # Plain body, with {{variables}} (Liquid).
      # @return [String, nil]
      field 'text', :string, required: false, nullable: true
      # HTML body, with {{variables}} (Liquid); values are escaped.
      # @return [String, nil]
      field 'html', :string, required: false, nullable: true
      # The template's data.
      # @return [Hash{String => Object}, nil]
      field 'variables', [:map, :json], required: false, nullable: true
    end

    # TemplatePage of the contract.
    class TemplatePage < Model
      # The entries, in order.
      # @return [Array<Types::Template>]
      field 'data', [:array, [:ref, 'Template']], essential: true
      # Pass it as after to get the next page; null on the last page.
      # @return [String, nil]
      field 'next_cursor', :string, nullable: true, essential: true
    end

    # TemplateVariant of the contract.
    class TemplateVariant < Model
      # With {{variables}} (Liquid); line breaks in a value become spaces.
      # @return [String]
      field 'subject', :string
      # Plain body, with {{variables}} (Liquid).
      # @return [String, nil]
      field 'text', :string, nullable: true
      # HTML body, with {{variables}} (Liquid); values are escaped.
      # @return [String, nil]
      field 'html', :string, nullable: true
    end

    # TemplateVersion of the contract.
    class TemplateVersion < Model
      # Number of the version, from 1.
      # @return [Integer]
      field 'version', :integer, essential: true
      # With {{variables}} (Liquid); line breaks in a value become spaces.
      # @return [String]
      field 'subject', :string
      # Plain body, with {{variables}} (Liquid).
      # @return [String, nil]
      field 'text', :string, nullable: true
      # HTML body, with {{variables}} (Liquid); values are escaped.
      # @return [String, nil]
      field 'html', :string, nullable: true
      # By language tag: a send with locale es-MX takes es-MX, else es, else the content of the template
      # itself.
      # @return [Hash{String => Types::TemplateVariant}]
      field 'variants', [:map, [:ref, 'TemplateVariant']]
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'created_at', :string
    end

    # TemplateVersionPage of the contract.
    class TemplateVersionPage < Model
      # The entries, in order.
      # @return [Array<Types::TemplateVersion>]
      field 'data', [:array, [:ref, 'TemplateVersion']], essential: true
      # Pass it as after to get the next page; null on the last page.
      # @return [String, nil]
      field 'next_cursor', :string, nullable: true, essential: true
    end

    # TlsFailure of the contract.
    class TlsFailure < Model
      # The mail host, where the report names it.
      # @return [String, nil]
      field 'host', :string, nullable: true
      # As RFC 8460 §4.3 names it.
      # @return [String]
      field 'result', :string
      # Connections that failed so.
      # @return [Integer]
      field 'sessions', :integer
      # Domains of those who reported it, as DKIM or SPF proved them.
      # @return [Array<String>]
      field 'reporters', [:array, :string]
    end

    # TlsParameters of the contract.
    class TlsParameters < Model
      # Version of TLS.
      # @return [String]
      field 'version', :string
      # Cipher suite.
      # @return [String]
      field 'cipher', :string
    end

    # TlsSummary of the contract.
    class TlsSummary < Model
      # Number of reports.
      # @return [Integer]
      field 'reports', :integer
      # Connections that the reports cover.
      # @return [Integer]
      field 'sessions', :integer
      # Connections that failed.
      # @return [Integer]
      field 'failed', :integer
      # The most sessions first; 100 at most, of each reporter its largest.
      # @return [Array<Types::TlsFailure>]
      field 'failures', [:array, [:ref, 'TlsFailure']]
    end

    # TranscriptLine of the contract.
    class TranscriptLine < Model
      # Milliseconds since the session began.
      # @return [Integer]
      field 't_ms', :integer
      # C: this service; S: the server.
      # @return [String]
      field 'who', :string
      # The line as transmitted; message data, credentials and the token of the return path are cut out.
      # @return [String]
      field 'line', :string
    end

    # Verification of the contract.
    class Verification < Model
      # True only if every check passes.
      # @return [Boolean]
      field 'valid', :boolean, essential: true
      # SHA-256, lower-case hex.
      # @return [String]
      field 'merkle_root', :string
      # UUIDv7.
      # @return [String]
      field 'certificate_id', :string
      # The token's genTime.
      # @return [String]
      field 'sealed_at', :string
      # Every step of the verification, in order.
      # @return [Array<Types::VerificationCheck>]
      field 'checks', [:array, [:ref, 'VerificationCheck']]
    end

    # VerificationCheck of the contract.
    class VerificationCheck < Model
      # Name of the check.
      # @return [String]
      field 'name', :string, essential: true
      # True: it holds; null: it was not made.
      # @return [Boolean]
      field 'ok', :boolean, essential: true
      # For people: what was found.
      # @return [String]
      field 'detail', :string
    end

    # VerificationRecord of the contract.
    class VerificationRecord < Model
      # UUIDv7.
      # @return [String]
      field 'id', :string, essential: true
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'created_at', :string
      # The id as given in the query.
      # @return [String]
      field 'message_id', :string
      # valid, invalid, or the code of the error that was answered; opened: of a share.
      # @return [String]
      field 'result', :string
      # @return [Types::Actor]
      field 'actor', [:ref, 'Actor']
      # IP address that asked, as this server saw it.
      # @return [String]
      field 'client_address', :string
    end

    # VerificationRecordPage of the contract.
    class VerificationRecordPage < Model
      # The entries, in order.
      # @return [Array<Types::VerificationRecord>]
      field 'data', [:array, [:ref, 'VerificationRecord']], essential: true
      # Pass it as after to get the next page; null on the last page.
      # @return [String, nil]
      field 'next_cursor', :string, nullable: true, essential: true
    end

    # VerifyRequest of the contract.
    class VerifyRequest < Model
      # Id of the message.
      # @return [String]
      field 'message_id', :string, essential: true
    end

    # Waiting of the contract.
    class Waiting < Model
      # Why messages wait.
      # @return [Array<Types::WaitingReason>]
      field 'reasons', [:array, [:ref, 'WaitingReason']]
    end

    # WaitingReason of the contract.
    class WaitingReason < Model
      # @return [Types::WaitingCode]
      field 'code', [:ref, 'WaitingCode']
      # When it ends by itself; null: that is not known.
      # @return [String, nil]
      field 'until', :string, nullable: true
      # The reason in a sentence.
      # @return [String]
      field 'text', :string
    end

    # Webhook of the contract.
    class Webhook < Model
      # UUIDv7.
      # @return [String]
      field 'id', :string, essential: true
      # https, resolving to public addresses only; no credentials, no fragment. Checked now and at each
      # connection.
      # @return [String]
      field 'url', :string
      # Event types that the endpoint receives.
      # @return [Array<Types::Subscription>]
      field 'events', [:array, [:ref, 'Subscription']]
      # A label of your own.
      # @return [String, nil]
      field 'description', :string, nullable: true
      # True: events are delivered.
      # @return [Boolean]
      field 'enabled', :boolean
      # gone: it answered 410; failing: only failures for five days; manual: disabled by request; null: it
      # is enabled.
      # @return [Types::WebhookDisabledReason, nil]
      field 'disabled_reason', [:ref, 'WebhookDisabledReason'], nullable: true
      # First failure since the last success.
      # @return [String, nil]
      field 'failing_since', :string, nullable: true
      # When it is disabled if it does nothing but fail until then. null: it is not failing, or is
      # disabled.
      # @return [String, nil]
      field 'disables_at', :string, nullable: true
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'created_at', :string
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'updated_at', :string
    end

    # WebhookAttempt of the contract.
    class WebhookAttempt < Model
      # Number of the attempt, from 1.
      # @return [Integer]
      field 'attempt', :integer
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'started_at', :string
      # How long the endpoint took.
      # @return [Integer]
      field 'duration_ms', :integer
      # Status of the answer.
      # @return [Integer, nil]
      field 'status_code', :integer, nullable: true
      # Failure, if there was no answer.
      # @return [String, nil]
      field 'error', :string, nullable: true
      # Header fields that were sent, without the signatures: recompute those with the secret over body.
      # @return [Hash{String => String}]
      field 'request_headers', [:map, :string]
      # Header fields of the answer, by name in lower case: the first 40, 4,096 characters in all; values
      # that open sessions are hidden. null: no answer came, or the message was erased.
      # @return [Hash{String => String}, nil]
      field 'response_headers', [:map, :string], nullable: true
      # The first 4 KiB of the answer as text, as they came. null: no answer came, or the message was
      # erased.
      # @return [String, nil]
      field 'response_excerpt', :string, nullable: true
    end

    # WebhookChange of the contract.
    class WebhookChange < Model
      # https, resolving to public addresses only; no credentials, no fragment. Checked now and at each
      # connection.
      # @return [String, nil]
      field 'url', :string, required: false, nullable: true
      # Event types that the endpoint receives.
      # @return [Array<Types::Subscription>, nil]
      field 'events', [:array, [:ref, 'Subscription']], required: false, nullable: true
      # A label of your own.
      # @return [String, nil]
      field 'description', :string, required: false, nullable: true
      # true enables the endpoint again; false disables it, and events waiting for it fail.
      # @return [Boolean, nil]
      field 'enabled', :boolean, required: false, nullable: true
    end

    # WebhookDelivery of the contract.
    class WebhookDelivery < Model
      # UUIDv7.
      # @return [String]
      field 'id', :string, essential: true
      # UUIDv7.
      # @return [String]
      field 'event_id', :string
      # UUIDv7.
      # @return [String]
      field 'message_id', :string
      # Type of the event.
      # @return [Types::EventType]
      field 'type', [:ref, 'EventType']
      # @return [Types::WebhookDeliveryStatus]
      field 'status', [:ref, 'WebhookDeliveryStatus']
      # Attempts made, replays included.
      # @return [Integer]
      field 'attempts', :integer
      # Status of the last answer.
      # @return [Integer, nil]
      field 'last_status_code', :integer, nullable: true
      # Failure of the last attempt.
      # @return [String, nil]
      field 'last_error', :string, nullable: true
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'created_at', :string
      # RFC 3339, UTC, milliseconds.
      # @return [String, nil]
      field 'delivered_at', :string, nullable: true
      # RFC 3339, UTC, milliseconds.
      # @return [String, nil]
      field 'next_attempt_at', :string, nullable: true
    end

    # WebhookDeliveryDetail of the contract.
    class WebhookDeliveryDetail < Model
      # UUIDv7.
      # @return [String]
      field 'id', :string, essential: true
      # UUIDv7.
      # @return [String]
      field 'event_id', :string
      # UUIDv7.
      # @return [String]
      field 'message_id', :string
      # Type of the event.
      # @return [Types::EventType]
      field 'type', [:ref, 'EventType']
      # @return [Types::WebhookDeliveryStatus]
      field 'status', [:ref, 'WebhookDeliveryStatus']
      # Attempts made, replays included.
      # @return [Integer]
      field 'attempts', :integer
      # Status of the last answer.
      # @return [Integer, nil]
      field 'last_status_code', :integer, nullable: true
      # Failure of the last attempt.
      # @return [String, nil]
      field 'last_error', :string, nullable: true
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'created_at', :string
      # RFC 3339, UTC, milliseconds.
      # @return [String, nil]
      field 'delivered_at', :string, nullable: true
      # RFC 3339, UTC, milliseconds.
      # @return [String, nil]
      field 'next_attempt_at', :string, nullable: true
      # The exact body, the same in every attempt.
      # @return [String]
      field 'body', :string
      # Oldest first.
      # @return [Array<Types::WebhookAttempt>]
      field 'attempt_log', [:array, [:ref, 'WebhookAttempt']]
    end

    # WebhookDeliveryPage of the contract.
    class WebhookDeliveryPage < Model
      # The entries, in order.
      # @return [Array<Types::WebhookDelivery>]
      field 'data', [:array, [:ref, 'WebhookDelivery']], essential: true
      # Pass it as after to get the next page; null on the last page.
      # @return [String, nil]
      field 'next_cursor', :string, nullable: true, essential: true
      # With a filter, on a page that is not full: created_at of the oldest delivery read. Continue with
      # next_cursor. null: the page is full, or it is the last.
      # @return [String, nil]
      field 'scanned_to', :string, nullable: true
    end

    # WebhookPage of the contract.
    class WebhookPage < Model
      # The entries, in order.
      # @return [Array<Types::Webhook>]
      field 'data', [:array, [:ref, 'Webhook']], essential: true
      # Pass it as after to get the next page; null on the last page.
      # @return [String, nil]
      field 'next_cursor', :string, nullable: true, essential: true
    end

    # WebhookPing of the contract.
    class WebhookPing < Model
      # The endpoint answered 2xx.
      # @return [Boolean]
      field 'delivered', :boolean, essential: true
      # null: no answer came.
      # @return [Integer, nil]
      field 'status_code', :integer, nullable: true
      # How long the endpoint took.
      # @return [Integer]
      field 'duration_ms', :integer
      # Why it was not delivered.
      # @return [String, nil]
      field 'error', :string, nullable: true
      # Header fields of the answer, by name in lower case: the first 40, 4,096 characters in all; values
      # that open sessions are hidden. null: no answer came, or the message was erased.
      # @return [Hash{String => String}, nil]
      field 'response_headers', [:map, :string], nullable: true
      # The first 4 KiB of the answer as text, as they came. null: no answer came, or the message was
      # erased.
      # @return [String, nil]
      field 'response_excerpt', :string, nullable: true
      # @return [Types::WebhookPingRequest]
      field 'request', [:ref, 'WebhookPingRequest']
    end

    # The request body as it was sent, byte for byte.
    class WebhookPingRequest < Model
      # The header fields that were sent.
      # @return [Hash{String => String}]
      field 'headers', [:map, :string]
      # The body that was sent.
      # @return [String]
      field 'body', :string
    end

    # WebhookReplay of the contract.
    class WebhookReplay < Model
      # Number of deliveries queued again.
      # @return [Integer]
      field 'replayed', :integer
    end

    # WebhookReplayCount of the contract.
    class WebhookReplayCount < Model
      # Failed deliveries, 10,000 at most.
      # @return [Integer]
      field 'failed', :integer
      # Deliveries that wait for their next attempt, 10,000 at most. Absent: from a server that cannot
      # replay them.
      # @return [Integer, nil]
      field 'waiting', :integer, required: false
      # There are more: counting ended at its limit.
      # @return [Boolean]
      field 'more', :boolean, essential: true
    end

    # WebhookReplayRequest of the contract.
    class WebhookReplayRequest < Model
      # RFC 3339 time. Deliveries made before it are not affected.
      # @return [String]
      field 'since', :string, essential: true
      # true: deliveries that wait for their next attempt are tried now, too, with all their retries.
      # @return [Boolean, nil]
      field 'waiting', :boolean, required: false, nullable: true
    end

    # WebhookWithSecret of the contract.
    class WebhookWithSecret < Model
      # UUIDv7.
      # @return [String]
      field 'id', :string, essential: true
      # https, resolving to public addresses only; no credentials, no fragment. Checked now and at each
      # connection.
      # @return [String]
      field 'url', :string
      # Event types that the endpoint receives.
      # @return [Array<Types::Subscription>]
      field 'events', [:array, [:ref, 'Subscription']]
      # A label of your own.
      # @return [String, nil]
      field 'description', :string, nullable: true
      # True: events are delivered.
      # @return [Boolean]
      field 'enabled', :boolean
      # gone: it answered 410; failing: only failures for five days; manual: disabled by request; null: it
      # is enabled.
      # @return [Types::WebhookDisabledReason, nil]
      field 'disabled_reason', [:ref, 'WebhookDisabledReason'], nullable: true
      # First failure since the last success.
      # @return [String, nil]
      field 'failing_since', :string, nullable: true
      # When it is disabled if it does nothing but fail until then. null: it is not failing, or is
      # disabled.
      # @return [String, nil]
      field 'disables_at', :string, nullable: true
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'created_at', :string
      # RFC 3339, UTC, milliseconds.
      # @return [String]
      field 'updated_at', :string
      # Secret that signs the deliveries. It is shown only once: keep it to verify Service-Signature.
      # @return [String]
      field 'secret', :string, essential: true
    end

    # Schemas that are not objects: known values are in their documentation, others arrive as text.
    ALIASES = {
      'AccountStatus' => :string,
      'AcknowledgementRequest' => :string,
      'AcknowledgementStatus' => :string,
      'AuditActorKind' => :string,
      'AuthenticationResult' => :string,
      'BounceReason' => :string,
      'BounceType' => :string,
      'CopyRecipients' => [:union, [:string, [:array, :string]]],
      'DmarcAdviceReason' => :string,
      'DmarcPolicy' => :string,
      'DomainReadiness' => :string,
      'ErrorCode' => :string,
      'EventOrder' => :string,
      'EventType' => :string,
      'MessageStatus' => :string,
      'ReadOnlyPart' => :string,
      'Recipients' => [:union, [:string, [:array, :string]]],
      'RecordedEventType' => :string,
      'ReplyTo' => [:union, [:string, [:array, :string]]],
      'RequirementVerdict' => :string,
      'Scope' => :string,
      'SenderRule' => :string,
      'Subscription' => :string,
      'WaitingCode' => :string,
      'WebhookDeliveryStatus' => :string,
      'WebhookDisabledReason' => :string,
    }.freeze
  end
end
