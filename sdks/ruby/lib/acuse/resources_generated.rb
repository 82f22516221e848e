# frozen_string_literal: true

# Generated from contract/openapi.json by sdks/generate/ruby.mjs: do not edit.

module Acuse
  module Resources
    # Operations of messages.
    class Messages < Resource
      # List messages.
      #
      # Newest first. Filters are combined: a message must match each. A page with a filter reads up to
      # 8,000 messages (of one recipient, with to), so that it may be short or empty before the last page:
      # continue while next_cursor is not null.
      #
      # Scope: `evidence:read`.
      # @param limit [Integer, nil] Number of entries to return.
      # @param after [String, nil] next_cursor of the previous page.
      # @param q [String, nil] Messages with all of these words: each begins a word of the subject or of
      #   the recipient's name, is part of the recipient's address, or begins the id that the receiving
      #   server gave the message. Accents, upper and lower case are the same.
      # @param status [Array<Types::MessageStatus>, nil] Messages in one of these states: repeat it, or
      #   separate them by commas.
      # @param certified [Boolean, nil] 
      # @param sealed [Boolean, nil] True: it has a constancia. Plain messages never have one.
      # @param bounce_type [Array<Types::BounceType>, nil] Messages that bounced in one of these ways.
      # @param bounce_reason [Array<Types::BounceReason>, nil] Messages that bounced for one of these
      #   reasons.
      # @param reason [Array<Types::BounceReason>, nil] Messages that bounced, or wait for another
      #   attempt, for one of these reasons.
      # @param acknowledgement [Array<Types::AcknowledgementStatus>, nil] Messages that asked their
      #   recipient to acknowledge them, and are in one of these states.
      # @param from [String, nil] Sender address, in any spelling, or a domain for all of its addresses.
      # @param to [String, nil] Recipient address, in any spelling, or a domain for all of its addresses.
      # @param subject [String, nil] Messages whose subject contains this text; upper and lower case are
      #   the same.
      # @param tag [String, nil] Messages that carry this tag.
      # @param template_id [String, nil] Messages made from this template.
      # @param api_key_id [String, nil] Messages that this API key sent.
      # @param metadata_key [String, nil] Messages whose metadata has this key.
      # @param metadata_value [String, nil] With metadata_key: messages whose metadata has this value
      #   there.
      # @param created_after [String, nil] Entries made at this moment or later (RFC 3339).
      # @param created_before [String, nil] Entries made before this moment (RFC 3339).
      # @return [List<Types::Message>]
      # @raise [Acuse::Error]
      def list(
        limit: nil,
        after: nil,
        q: nil,
        status: nil,
        certified: nil,
        sealed: nil,
        bounce_type: nil,
        bounce_reason: nil,
        reason: nil,
        acknowledgement: nil,
        from: nil,
        to: nil,
        subject: nil,
        tag: nil,
        template_id: nil,
        api_key_id: nil,
        metadata_key: nil,
        metadata_value: nil,
        created_after: nil,
        created_before: nil
      )
        list_of(
          OPERATIONS.fetch('listMessages'),
          query: {
            'limit' => limit,
            'after' => after,
            'q' => q,
            'status' => status,
            'certified' => certified,
            'sealed' => sealed,
            'bounce_type' => bounce_type,
            'bounce_reason' => bounce_reason,
            'reason' => reason,
            'acknowledgement' => acknowledgement,
            'from' => from,
            'to' => to,
            'subject' => subject,
            'tag' => tag,
            'template_id' => template_id,
            'api_key_id' => api_key_id,
            'metadata_key' => metadata_key,
            'metadata_value' => metadata_value,
            'created_after' => created_after,
            'created_before' => created_before
          }
        )
      end

      # Export messages as CSV.
      #
      # Every message that matches the filters of the list, newest first, as UTF-8 with a header line. A
      # cell that a spreadsheet would take for a formula starts with an apostrophe. The answer is as long
      # as the list: it is read a page at a time while you receive it.
      #
      # Scope: `evidence:read`.
      # @param q [String, nil] Messages with all of these words: each begins a word of the subject or of
      #   the recipient's name, is part of the recipient's address, or begins the id that the receiving
      #   server gave the message. Accents, upper and lower case are the same.
      # @param status [Array<Types::MessageStatus>, nil] Messages in one of these states: repeat it, or
      #   separate them by commas.
      # @param certified [Boolean, nil] 
      # @param sealed [Boolean, nil] True: it has a constancia. Plain messages never have one.
      # @param bounce_type [Array<Types::BounceType>, nil] Messages that bounced in one of these ways.
      # @param bounce_reason [Array<Types::BounceReason>, nil] Messages that bounced for one of these
      #   reasons.
      # @param reason [Array<Types::BounceReason>, nil] Messages that bounced, or wait for another
      #   attempt, for one of these reasons.
      # @param acknowledgement [Array<Types::AcknowledgementStatus>, nil] Messages that asked their
      #   recipient to acknowledge them, and are in one of these states.
      # @param from [String, nil] Sender address, in any spelling, or a domain for all of its addresses.
      # @param to [String, nil] Recipient address, in any spelling, or a domain for all of its addresses.
      # @param subject [String, nil] Messages whose subject contains this text; upper and lower case are
      #   the same.
      # @param tag [String, nil] Messages that carry this tag.
      # @param template_id [String, nil] Messages made from this template.
      # @param api_key_id [String, nil] Messages that this API key sent.
      # @param metadata_key [String, nil] Messages whose metadata has this key.
      # @param metadata_value [String, nil] With metadata_key: messages whose metadata has this value
      #   there.
      # @param created_after [String, nil] Entries made at this moment or later (RFC 3339).
      # @param created_before [String, nil] Entries made before this moment (RFC 3339).
      # @return [String]
      # @raise [Acuse::Error]
      def export_csv(
        q: nil,
        status: nil,
        certified: nil,
        sealed: nil,
        bounce_type: nil,
        bounce_reason: nil,
        reason: nil,
        acknowledgement: nil,
        from: nil,
        to: nil,
        subject: nil,
        tag: nil,
        template_id: nil,
        api_key_id: nil,
        metadata_key: nil,
        metadata_value: nil,
        created_after: nil,
        created_before: nil
      )
        call(
          OPERATIONS.fetch('exportMessages'),
          query: {
            'q' => q,
            'status' => status,
            'certified' => certified,
            'sealed' => sealed,
            'bounce_type' => bounce_type,
            'bounce_reason' => bounce_reason,
            'reason' => reason,
            'acknowledgement' => acknowledgement,
            'from' => from,
            'to' => to,
            'subject' => subject,
            'tag' => tag,
            'template_id' => template_id,
            'api_key_id' => api_key_id,
            'metadata_key' => metadata_key,
            'metadata_value' => metadata_value,
            'created_after' => created_after,
            'created_before' => created_before
          }
        )
      end

      # Read a message.
      #
      # Its status, the last reply of the recipient's server, and what is known of its bounce. Attempts
      # and evidence have routes of their own.
      #
      # Scope: `evidence:read`.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @return [Types::Message]
      # @raise [Acuse::Error]
      def get(id)
        call(
          OPERATIONS.fetch('getMessage'),
          path: { 'id' => id }
        )
      end

      # Move a scheduled message.
      #
      # Gives a scheduled message another send_at, at most 30 days after it was accepted; null, or a time
      # that has just passed, queues it at once. Nothing else of an accepted message can be changed:
      # cancel it and send another. Answers 409 once it has been queued or cancelled.
      #
      # Scope: `messages:send`.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @param body [Hash, Types::MessageChange]
      # @return [Types::Message]
      # @raise [Acuse::Error]
      def update(id, body)
        call(
          OPERATIONS.fetch('updateMessage'),
          path: { 'id' => id },
          body: body
        )
      end

      # List a message's events.
      #
      # Oldest first. A cancellation is listed too, as email.cancelled, although webhooks do not carry it.
      #
      # Scope: `evidence:read`.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @param limit [Integer, nil] Number of entries to return.
      # @param after [String, nil] next_cursor of the previous page.
      # @return [List<Types::Event>]
      # @raise [Acuse::Error]
      def list_events(id, limit: nil, after: nil)
        list_of(
          OPERATIONS.fetch('listMessageEvents'),
          path: { 'id' => id },
          query: { 'limit' => limit, 'after' => after }
        )
      end

      # Download the composed message.
      #
      # The message as composed and hashed, starting with its first header (Service-Evidence); DKIM
      # signatures are put in front of it at delivery. Also answers 404 after its content was deleted: the
      # error message says when and why. With `Service-Content-Source: archive` the content came from the
      # archive of its month, which takes longer; while that archive cannot be reached, 503.
      #
      # Scope: `evidence:read`.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @return [String]
      # @raise [Acuse::Error]
      def get_raw(id)
        call(
          OPERATIONS.fetch('getRawMessage'),
          path: { 'id' => id }
        )
      end

      # Read a message's headers, parts and links.
      #
      # The contents of the composed message: its header fields, its parts with the hashes that its
      # evidence has, the links of its texts with the addresses that they open, and what a mail program
      # would fetch from elsewhere. Answers 404 after its content was deleted: the error message says when
      # and why.
      #
      # Scope: `evidence:read`.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @return [Types::MessageParts]
      # @raise [Acuse::Error]
      def get_parts(id)
        call(
          OPERATIONS.fetch('getMessageParts'),
          path: { 'id' => id }
        )
      end

      # Download a part of a message.
      #
      # The decoded content of the part, as it was hashed: a text without a file name is in UTF-8 with LF
      # line ends and without white space at line ends. Whatever its media type, it is sent as a file to
      # be saved.
      #
      # Scope: `evidence:read`.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @param index [String] index of the part.
      # @return [String]
      # @raise [Acuse::Error]
      def get_part(id, index)
        call(
          OPERATIONS.fetch('getMessagePart'),
          path: { 'id' => id, 'index' => index }
        )
      end

      # List a message's delivery attempts.
      #
      # Delivery attempts, oldest first, each with the SMTP transcript of every host that was tried.
      #
      # Scope: `evidence:read`.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @param limit [Integer, nil] Number of entries to return.
      # @param after [String, nil] next_cursor of the previous page.
      # @return [List<Types::Attempt>]
      # @raise [Acuse::Error]
      def list_attempts(id, limit: nil, after: nil)
        list_of(
          OPERATIONS.fetch('listMessageAttempts'),
          path: { 'id' => id },
          query: { 'limit' => limit, 'after' => after }
        )
      end

      # List what was reported by mail.
      #
      # Mail to the return path of the message: the host that delivered it, its DKIM and SPF results, and
      # what it claims. Only the first of each kind; of receipts, the first that says displayed. The SMTP
      # sessions of this service are under attempts.
      #
      # Scope: `evidence:read`.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @return [Types::MailReportList]
      # @raise [Acuse::Error]
      def list_reports(id)
        call(
          OPERATIONS.fetch('listMessageReports'),
          path: { 'id' => id }
        )
      end

      # Download the delivery status notification.
      #
      # The newest multipart/report (RFC 3464) of the message: relayed when it was sent, failed when it
      # bounced, delayed while it has been deferred for over four hours. The bounce may be a report that
      # came by mail: see /reports. Answers 404 while there is none, and after the message was erased.
      #
      # Scope: `evidence:read`.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @return [String]
      # @raise [Acuse::Error]
      def get_dsn(id)
        call(
          OPERATIONS.fetch('getMessageDsn'),
          path: { 'id' => id }
        )
      end

      # Retry a deferred message now.
      #
      # Makes a deferred message due at once instead of at its next attempt; the schedule continues after
      # it. Answers 409 for a message in any other state, for one that is being handed over at the moment,
      # and while the operator has paused its mail; the error message says which.
      #
      # Scope: `messages:send`.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @return [Types::Message]
      # @raise [Acuse::Error]
      def retry(id)
        call(
          OPERATIONS.fetch('retryMessage'),
          path: { 'id' => id }
        )
      end

      # Cancel a message.
      #
      # Ends a queued or deferred message that is not being handed over at the moment: its status becomes
      # cancelled, and, if it is certified, the log gets an outcome that says so. A cancelled message has
      # not bounced: it counts in no rate, and there is no delivery report about it. Its events list
      # email.cancelled, which webhooks do not carry. Its quota stays used. 409 once a server may have it,
      # and for what has ended already.
      #
      # Scope: `messages:send`.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @return [Types::Message]
      # @raise [Acuse::Error]
      def cancel(id)
        call(
          OPERATIONS.fetch('cancelMessage'),
          path: { 'id' => id }
        )
      end

      # Say why a message waits.
      #
      # Reasons why the message waits, the present one first: its schedule, its next attempt, a pause, a
      # busy destination, the messages before it; then its last reply and when it expires. Empty once it
      # is sent, bounced or cancelled.
      #
      # Scope: `evidence:read`.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @return [Types::Waiting]
      # @raise [Acuse::Error]
      def get_waiting(id)
        call(
          OPERATIONS.fetch('getMessageWaiting'),
          path: { 'id' => id }
        )
      end
    end

    # Operations of evidence.
    class Evidence < Resource
      # Seal a message on demand.
      #
      # Gets a constancia over this message's canonical hash alone, in addition to the one over its batch,
      # and answers with the evidence: `message_certificate` is the new one. Only once the batch is
      # sealed, and at any time after. Repeated or concurrent requests answer with the one that exists:
      # only one is bought. While no time-stamping authority answers, 503 and nothing is stored.
      #
      # Scope: `messages:send`.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @return [Types::Evidence]
      # @raise [Acuse::Error]
      def seal(id)
        call(
          OPERATIONS.fetch('sealMessage'),
          path: { 'id' => id }
        )
      end

      # Evidence of a sealed message.
      #
      # Its place in the log, the constancia over its batch, and its outcomes.
      #
      # Scope: `evidence:read`.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @return [Types::Evidence]
      # @raise [Acuse::Error]
      def get(id)
        call(
          OPERATIONS.fetch('getEvidence'),
          path: { 'id' => id }
        )
      end

      # Proof bundle of a sealed message.
      #
      # Everything that a third party needs to verify the message offline, VERIFY.md first: as a ZIP, or
      # with `Accept: application/json` as one JSON document of the same entries. With `Accept:
      # application/pdf` a PDF: the pages of the report, the ZIP attached, and a document time-stamp
      # (`ETSI.RFC3161`) of a time-stamping authority over all of it. The first PDF costs a time-stamp and
      # takes the scope `messages:send`, as sealing on demand does; a later request answers with the same
      # one, unless the evidence has changed (a new outcome, a renewal, an erasure) or its outcomes were
      # counted over 7 days ago. While no authority answers, 503 and nothing is stored. With
      # `Service-Content-Source: archive` the content came from the archive of its month, which takes
      # longer; while that archive cannot be reached, 503.
      #
      # Scope: `evidence:read`.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @return [String]
      # @raise [Acuse::Error]
      def get_bundle(id)
        call(
          OPERATIONS.fetch('getProofBundle'),
          path: { 'id' => id }
        )
      end

      # Get the proof bundle as JSON.
      #
      # Everything that a third party needs to verify the message offline, VERIFY.md first: as a ZIP, or
      # with `Accept: application/json` as one JSON document of the same entries. With `Accept:
      # application/pdf` a PDF: the pages of the report, the ZIP attached, and a document time-stamp
      # (`ETSI.RFC3161`) of a time-stamping authority over all of it. The first PDF costs a time-stamp and
      # takes the scope `messages:send`, as sealing on demand does; a later request answers with the same
      # one, unless the evidence has changed (a new outcome, a renewal, an erasure) or its outcomes were
      # counted over 7 days ago. While no authority answers, 503 and nothing is stored. With
      # `Service-Content-Source: archive` the content came from the archive of its month, which takes
      # longer; while that archive cannot be reached, 503.
      #
      # Scope: `evidence:read`.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @return [Types::ProofBundle]
      # @raise [Acuse::Error]
      def get_bundle_json(id)
        call(
          OPERATIONS.fetch('getProofBundleJson'),
          path: { 'id' => id }
        )
      end

      # Get the evidence as a PDF with the bundle attached.
      #
      # Everything that a third party needs to verify the message offline, VERIFY.md first: as a ZIP, or
      # with `Accept: application/json` as one JSON document of the same entries. With `Accept:
      # application/pdf` a PDF: the pages of the report, the ZIP attached, and a document time-stamp
      # (`ETSI.RFC3161`) of a time-stamping authority over all of it. The first PDF costs a time-stamp and
      # takes the scope `messages:send`, as sealing on demand does; a later request answers with the same
      # one, unless the evidence has changed (a new outcome, a renewal, an erasure) or its outcomes were
      # counted over 7 days ago. While no authority answers, 503 and nothing is stored. With
      # `Service-Content-Source: archive` the content came from the archive of its month, which takes
      # longer; while that archive cannot be reached, 503.
      #
      # Scope: `evidence:read`.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @return [String]
      # @raise [Acuse::Error]
      def get_bundle_pdf(id)
        call(
          OPERATIONS.fetch('getProofBundlePdf'),
          path: { 'id' => id }
        )
      end

      # Verify a sealed message.
      #
      # Recomputes everything from the stored bytes: the message against its manifest, the manifest
      # against the log, the log against its signature and the constancia. Every query is recorded,
      # whatever its result.
      #
      # Scope: `evidence:read`.
      # @param body [Hash, Types::VerifyRequest]
      # @return [Types::Verification]
      # @raise [Acuse::Error]
      def verify(body)
        call(
          OPERATIONS.fetch('verifyMessage'),
          body: body
        )
      end

      # List verifications.
      #
      # The access log: every query of this account with POST /v1/verify, whatever its result, and every
      # opening of a message that it shared, newest first.
      #
      # Scope: `evidence:read`.
      # @param limit [Integer, nil] Number of entries to return.
      # @param after [String, nil] next_cursor of the previous page.
      # @param message_id [String, nil] Id of the message.
      # @param result [String, nil] Only entries with this result.
      # @param created_after [String, nil] Entries made at this moment or later (RFC 3339).
      # @param created_before [String, nil] Entries made before this moment (RFC 3339).
      # @return [List<Types::VerificationRecord>]
      # @raise [Acuse::Error]
      def list_verifications(
        limit: nil,
        after: nil,
        message_id: nil,
        result: nil,
        created_after: nil,
        created_before: nil
      )
        list_of(
          OPERATIONS.fetch('listVerifications'),
          query: {
            'limit' => limit,
            'after' => after,
            'message_id' => message_id,
            'result' => result,
            'created_after' => created_after,
            'created_before' => created_before
          }
        )
      end
    end

    # Operations of shares.
    class Shares < Resource
      # Open a shared proof.
      #
      # Content of a shared link: a proof bundle that shows what its owner disclosed, as a ZIP, or with
      # `Accept: application/json` as one JSON document. A link to a case file opens a ZIP of bundles with
      # an index to print, whatever is accepted. The link is `/prove/{id}#{secret}`. A link that is wrong,
      # has expired or was revoked answers 404, each alike. Every opening is in the access log of the
      # account.
      #
      # No key needed.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @param body [Hash, Types::OpenShare]
      # @return [String]
      # @raise [Acuse::Error]
      def open(id, body)
        call(
          OPERATIONS.fetch('openShare'),
          path: { 'id' => id },
          body: body
        )
      end

      # Open a shared proof as JSON.
      #
      # Content of a shared link: a proof bundle that shows what its owner disclosed, as a ZIP, or with
      # `Accept: application/json` as one JSON document. A link to a case file opens a ZIP of bundles with
      # an index to print, whatever is accepted. The link is `/prove/{id}#{secret}`. A link that is wrong,
      # has expired or was revoked answers 404, each alike. Every opening is in the access log of the
      # account.
      #
      # No key needed.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @param body [Hash, Types::OpenShare]
      # @return [Types::ProofBundle]
      # @raise [Acuse::Error]
      def open_json(id, body)
        call(
          OPERATIONS.fetch('openShareJson'),
          path: { 'id' => id },
          body: body
        )
      end
    end

    # Operations of templates.
    class Templates < Resource
      # Create a template.
      #
      # Saves the first version. The parts are parsed: a syntax error or an unknown filter answers 400 and
      # names the place.
      #
      # Scope: `messages:send`.
      # @param body [Hash, Types::NewTemplate]
      # @return [Types::Template]
      # @raise [Acuse::Error]
      def create(body)
        call(
          OPERATIONS.fetch('createTemplate'),
          body: body
        )
      end

      # List templates.
      #
      # The templates of the account in their current version, newest first.
      #
      # Scope: `messages:send` or `evidence:read`.
      # @param limit [Integer, nil] Number of entries to return.
      # @param after [String, nil] next_cursor of the previous page.
      # @return [List<Types::Template>]
      # @raise [Acuse::Error]
      def list(limit: nil, after: nil)
        list_of(
          OPERATIONS.fetch('listTemplates'),
          query: { 'limit' => limit, 'after' => after }
        )
      end

      # Read a template.
      #
      # Its current version, with the variants for other languages.
      #
      # Scope: `messages:send` or `evidence:read`.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @return [Types::Template]
      # @raise [Acuse::Error]
      def get(id)
        call(
          OPERATIONS.fetch('getTemplate'),
          path: { 'id' => id }
        )
      end

      # Change a template.
      #
      # A change of content makes a new version; messages sent before keep theirs. null removes text, html
      # or a variant; variants that are not named stay.
      #
      # Scope: `messages:send`.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @param body [Hash, Types::TemplateChange]
      # @return [Types::Template]
      # @raise [Acuse::Error]
      def update(id, body)
        call(
          OPERATIONS.fetch('updateTemplate'),
          path: { 'id' => id },
          body: body
        )
      end

      # Delete a template.
      #
      # Messages that were sent with it keep their content. Its name can be used again.
      #
      # Scope: `messages:send`.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @return [nil]
      # @raise [Acuse::Error]
      def delete(id)
        call(
          OPERATIONS.fetch('deleteTemplate'),
          path: { 'id' => id }
        )
      end

      # List a template's versions.
      #
      # Versions of the template, newest first; the first is the current one. To restore one, change the
      # template to its content.
      #
      # Scope: `messages:send` or `evidence:read`.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @param limit [Integer, nil] Number of entries to return.
      # @param after [String, nil] next_cursor of the previous page.
      # @return [List<Types::TemplateVersion>]
      # @raise [Acuse::Error]
      def list_versions(id, limit: nil, after: nil)
        list_of(
          OPERATIONS.fetch('listTemplateVersions'),
          path: { 'id' => id },
          query: { 'limit' => limit, 'after' => after }
        )
      end

      # Preview a template before it is saved.
      #
      # Renders the given content with these variables; nothing is saved or sent.
      #
      # Scope: `messages:send`.
      # @param body [Hash, Types::TemplateDraft]
      # @return [Types::RenderedDraft]
      # @raise [Acuse::Error]
      def render_draft(body)
        call(
          OPERATIONS.fetch('renderTemplateDraft'),
          body: body
        )
      end

      # Preview a template.
      #
      # Renders the current version with these variables; nothing is sent.
      #
      # Scope: `messages:send`.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @param body [Hash, Types::RenderRequest]
      # @return [Types::RenderedTemplate]
      # @raise [Acuse::Error]
      def render(id, body)
        call(
          OPERATIONS.fetch('renderTemplate'),
          path: { 'id' => id },
          body: body
        )
      end
    end

    # Operations of domains.
    class Domains < Resource
      # Register a domain.
      #
      # Answers with the DNS records to publish. Public suffixes are refused. A domain that is verified
      # for another account is refused by verify once its records are published.
      #
      # Scope: `messages:send`.
      # @param body [Hash, Types::NewDomain]
      # @return [Types::Domain]
      # @raise [Acuse::Error]
      def create(body)
        call(
          OPERATIONS.fetch('createDomain'),
          body: body
        )
      end

      # List domains.
      #
      # The domains of the account with their records and readiness, newest first.
      #
      # Scope: `messages:send` or `evidence:read`.
      # @param limit [Integer, nil] Number of entries to return.
      # @param after [String, nil] next_cursor of the previous page.
      # @param status [String, nil] Only a verified domain may send.
      # @return [List<Types::Domain>]
      # @raise [Acuse::Error]
      def list(limit: nil, after: nil, status: nil)
        list_of(
          OPERATIONS.fetch('listDomains'),
          query: { 'limit' => limit, 'after' => after, 'status' => status }
        )
      end

      # Read a domain.
      #
      # The domain with what the last look-up found for each record.
      #
      # Scope: `messages:send` or `evidence:read`.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @return [Types::Domain]
      # @raise [Acuse::Error]
      def get(id)
        call(
          OPERATIONS.fetch('getDomain'),
          path: { 'id' => id }
        )
      end

      # Delete a domain.
      #
      # Deletes the domain with its DKIM keys and senders; another account can then verify the name.
      #
      # Scope: `messages:send`.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @return [nil]
      # @raise [Acuse::Error]
      def delete(id)
        call(
          OPERATIONS.fetch('deleteDomain'),
          path: { 'id' => id }
        )
      end

      # Verify a domain.
      #
      # Looks up all records now and reports what was found for each. Answers 200 whatever was found: read
      # status. A verified domain is checked daily and has 24 h of grace.
      #
      # Scope: `messages:send`.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @return [Types::Domain]
      # @raise [Acuse::Error]
      def verify(id)
        call(
          OPERATIONS.fetch('verifyDomain'),
          path: { 'id' => id }
        )
      end

      # Rotate DKIM keys.
      #
      # Creates new keys next to the old ones, which sign until verify or the daily check finds the
      # records of the new ones. Keep the old records for a week after that.
      #
      # Scope: `messages:send`.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @return [Types::Domain]
      # @raise [Acuse::Error]
      def rotate_dkim(id)
        call(
          OPERATIONS.fetch('rotateDkim'),
          path: { 'id' => id }
        )
      end

      # Read reports about a domain.
      #
      # Reports of receivers about mail with this domain in From (DMARC, RFC 7489), and senders of TLS
      # with its mail hosts (RFC 8460), added up. Reports come to dmarc@ and tlsrpt@ of its bounce host,
      # and count if DKIM or SPF proves who sent them.
      #
      # Scope: `messages:send` or `evidence:read`.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @param days [Integer, nil] Days up to now that the reports are about.
      # @return [Types::DomainReports]
      # @raise [Acuse::Error]
      def reports(id, days: nil)
        call(
          OPERATIONS.fetch('getDomainReports'),
          path: { 'id' => id },
          query: { 'days' => days }
        )
      end

      # Read how a domain stands with the rules for bulk senders.
      #
      # The requirements of Gmail and Yahoo for bulk senders, and what was seen of each in the last 30
      # days. Complaints are those that reached this service: Gmail reports none, see Google Postmaster
      # Tools for its own rate.
      #
      # Scope: `messages:send` or `evidence:read`.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @return [Types::DomainRequirements]
      # @raise [Acuse::Error]
      def requirements(id)
        call(
          OPERATIONS.fetch('getDomainRequirements'),
          path: { 'id' => id }
        )
      end
    end

    # Operations of senders.
    class Senders < Resource
      # Approve a sender.
      #
      # Allows sending from the address once its domain is verified.
      #
      # Scope: `messages:send`.
      # @param body [Hash, Types::NewSender]
      # @return [Types::Sender]
      # @raise [Acuse::Error]
      def create(body)
        call(
          OPERATIONS.fetch('createSender'),
          body: body
        )
      end

      # List senders.
      #
      # The addresses that may be in From, newest first.
      #
      # Scope: `messages:send` or `evidence:read`.
      # @param limit [Integer, nil] Number of entries to return.
      # @param after [String, nil] next_cursor of the previous page.
      # @param active [Boolean, nil] 
      # @param domain_id [String, nil] Senders of this domain.
      # @return [List<Types::Sender>]
      # @raise [Acuse::Error]
      def list(limit: nil, after: nil, active: nil, domain_id: nil)
        list_of(
          OPERATIONS.fetch('listSenders'),
          query: {
            'limit' => limit,
            'after' => after,
            'active' => active,
            'domain_id' => domain_id
          }
        )
      end

      # Read a sender.
      #
      # One sender by its id.
      #
      # Scope: `messages:send` or `evidence:read`.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @return [Types::Sender]
      # @raise [Acuse::Error]
      def get(id)
        call(
          OPERATIONS.fetch('getSender'),
          path: { 'id' => id }
        )
      end

      # Enable or disable a sender.
      #
      # Applies from the next send on; messages accepted before are still delivered.
      #
      # Scope: `messages:send`.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @param body [Hash, Types::SenderChange]
      # @return [Types::Sender]
      # @raise [Acuse::Error]
      def update(id, body)
        call(
          OPERATIONS.fetch('updateSender'),
          path: { 'id' => id },
          body: body
        )
      end

      # Delete a sender.
      #
      # Its address is no longer approved, unless a *@domain approves it.
      #
      # Scope: `messages:send`.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @return [nil]
      # @raise [Acuse::Error]
      def delete(id)
        call(
          OPERATIONS.fetch('deleteSender'),
          path: { 'id' => id }
        )
      end
    end

    # Operations of suppressions.
    class Suppressions < Resource
      # Import addresses to suppress.
      #
      # Takes CSV with a header line: address (or email), and reason if you like; other columns are
      # ignored. A file without names has an address per line. Up to 10,000 addresses; each line is added
      # by itself, so that the same file can be sent again.
      #
      # Scope: `suppressions:write`.
      # @param body [String]
      # @return [Types::SuppressionImport]
      # @raise [Acuse::Error]
      def import_csv(body)
        call(
          OPERATIONS.fetch('importSuppressions'),
          body: body
        )
      end

      # Export suppressed addresses as CSV.
      #
      # Every entry that matches the filters of the list, newest first, as UTF-8 with a header line; the
      # file can be imported again. A cell that a spreadsheet would take for a formula starts with an
      # apostrophe.
      #
      # Scope: `evidence:read`.
      # @param address [String, nil] Filter by this address, in any spelling.
      # @param source [String, nil] 
      # @param created_after [String, nil] Entries made at this moment or later (RFC 3339).
      # @param created_before [String, nil] Entries made before this moment (RFC 3339).
      # @return [String]
      # @raise [Acuse::Error]
      def export_csv(address: nil, source: nil, created_after: nil, created_before: nil)
        call(
          OPERATIONS.fetch('exportSuppressions'),
          query: {
            'address' => address,
            'source' => source,
            'created_after' => created_after,
            'created_before' => created_before
          }
        )
      end

      # Suppress an address.
      #
      # Sends to it are refused from now on with recipient_suppressed. An address that is already on the
      # list answers 200 with its existing entry.
      #
      # Scope: `suppressions:write`.
      # @param body [Hash, Types::NewSuppression]
      # @return [Types::Suppression]
      # @raise [Acuse::Error]
      def create(body)
        call(
          OPERATIONS.fetch('createSuppression'),
          body: body
        )
      end

      # List suppressed addresses.
      #
      # The account's own list, newest first. The operator's global list is not shown.
      #
      # Scope: `evidence:read`.
      # @param limit [Integer, nil] Number of entries to return.
      # @param after [String, nil] next_cursor of the previous page.
      # @param address [String, nil] Filter by this address, in any spelling.
      # @param source [String, nil] 
      # @param created_after [String, nil] Entries made at this moment or later (RFC 3339).
      # @param created_before [String, nil] Entries made before this moment (RFC 3339).
      # @return [List<Types::Suppression>]
      # @raise [Acuse::Error]
      def list(
        limit: nil,
        after: nil,
        address: nil,
        source: nil,
        created_after: nil,
        created_before: nil
      )
        list_of(
          OPERATIONS.fetch('listSuppressions'),
          query: {
            'limit' => limit,
            'after' => after,
            'address' => address,
            'source' => source,
            'created_after' => created_after,
            'created_before' => created_before
          }
        )
      end

      # Allow an address again.
      #
      # Removes the entry from the list; the next send to the address is accepted.
      #
      # Scope: `suppressions:write`.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @return [nil]
      # @raise [Acuse::Error]
      def delete(id)
        call(
          OPERATIONS.fetch('deleteSuppression'),
          path: { 'id' => id }
        )
      end
    end

    # Operations of webhooks.
    class Webhooks < Resource
      # Create a webhook endpoint.
      #
      # The secret is shown only in this answer: keep it to verify Service-Signature. Limit: 20 endpoints
      # per account.
      #
      # Scope: `messages:send`.
      # @param body [Hash, Types::NewWebhook]
      # @return [Types::WebhookWithSecret]
      # @raise [Acuse::Error]
      def create(body)
        call(
          OPERATIONS.fetch('createWebhook'),
          body: body
        )
      end

      # List webhook endpoints.
      #
      # The endpoints of the account with their state, newest first.
      #
      # Scope: `messages:send` or `evidence:read`.
      # @param limit [Integer, nil] Number of entries to return.
      # @param after [String, nil] next_cursor of the previous page.
      # @return [List<Types::Webhook>]
      # @raise [Acuse::Error]
      def list(limit: nil, after: nil)
        list_of(
          OPERATIONS.fetch('listWebhooks'),
          query: { 'limit' => limit, 'after' => after }
        )
      end

      # Read a webhook endpoint.
      #
      # Its URL, events and state; the secret is shown only when it is made or rotated.
      #
      # Scope: `messages:send` or `evidence:read`.
      # @param id [String] Webhook endpoint id.
      # @return [Types::Webhook]
      # @raise [Acuse::Error]
      def get(id)
        call(
          OPERATIONS.fetch('getWebhook'),
          path: { 'id' => id }
        )
      end

      # Change a webhook endpoint.
      #
      # Events waiting for the endpoint go to its new url. Omitted fields stay unchanged.
      #
      # Scope: `messages:send`.
      # @param id [String] Webhook endpoint id.
      # @param body [Hash, Types::WebhookChange]
      # @return [Types::Webhook]
      # @raise [Acuse::Error]
      def update(id, body)
        call(
          OPERATIONS.fetch('updateWebhook'),
          path: { 'id' => id },
          body: body
        )
      end

      # Delete a webhook endpoint.
      #
      # Deletes the endpoint; events waiting for it are no longer delivered.
      #
      # Scope: `messages:send`.
      # @param id [String] Webhook endpoint id.
      # @return [nil]
      # @raise [Acuse::Error]
      def delete(id)
        call(
          OPERATIONS.fetch('deleteWebhook'),
          path: { 'id' => id }
        )
      end

      # Rotate the secret.
      #
      # Service-Signature is keyed with the new secret at once; for 24 hours Service-Signature-Previous
      # and a second webhook-signature carry the old one.
      #
      # Scope: `messages:send`.
      # @param id [String] Webhook endpoint id.
      # @return [Types::WebhookWithSecret]
      # @raise [Acuse::Error]
      def rotate_secret(id)
        call(
          OPERATIONS.fetch('rotateWebhookSecret'),
          path: { 'id' => id }
        )
      end

      # Ping a webhook endpoint.
      #
      # Delivers one synthetic event at once (the endpoint's first type, email.queued for *;
      # data.synthetic is true) and reports the result. A failure of the endpoint is a result, not an
      # error.
      #
      # Scope: `messages:send`.
      # @param id [String] Webhook endpoint id.
      # @return [Types::WebhookPing]
      # @raise [Acuse::Error]
      def ping(id)
        call(
          OPERATIONS.fetch('pingWebhook'),
          path: { 'id' => id }
        )
      end

      # List deliveries.
      #
      # Newest first, for 30 days. A page with a filter reads up to 10,000 deliveries, so that it may be
      # short or empty before the last page: continue while next_cursor is not null.
      #
      # Scope: `messages:send` or `evidence:read`.
      # @param id [String] Webhook endpoint id.
      # @param limit [Integer, nil] Number of entries to return.
      # @param after [String, nil] next_cursor of the previous page.
      # @param status [Types::WebhookDeliveryStatus, nil] 
      # @param type [Array<Types::EventType>, nil] Deliveries of these events: repeat it, or separate them
      #   by commas.
      # @param created_after [String, nil] Entries made at this moment or later (RFC 3339).
      # @param created_before [String, nil] Entries made before this moment (RFC 3339).
      # @return [List<Types::WebhookDelivery>]
      # @raise [Acuse::Error]
      def list_deliveries(
        id,
        limit: nil,
        after: nil,
        status: nil,
        type: nil,
        created_after: nil,
        created_before: nil
      )
        list_of(
          OPERATIONS.fetch('listWebhookDeliveries'),
          path: { 'id' => id },
          query: {
            'limit' => limit,
            'after' => after,
            'status' => status,
            'type' => type,
            'created_after' => created_after,
            'created_before' => created_before
          }
        )
      end

      # Read a delivery with its attempts.
      #
      # The body that was sent and, for each attempt, the endpoint's answer or what went wrong.
      #
      # Scope: `messages:send` or `evidence:read`.
      # @param id [String] Webhook endpoint id.
      # @param did [String] Delivery id.
      # @return [Types::WebhookDeliveryDetail]
      # @raise [Acuse::Error]
      def get_delivery(id, did)
        call(
          OPERATIONS.fetch('getWebhookDelivery'),
          path: { 'id' => id, 'did' => did }
        )
      end

      # Deliver again.
      #
      # Queues the delivery again, whatever its outcome, with the same body and all its retries.
      #
      # Scope: `messages:send`.
      # @param id [String] Webhook endpoint id.
      # @param did [String] Delivery id.
      # @return [Types::WebhookReplay]
      # @raise [Acuse::Error]
      def replay_delivery(id, did)
        call(
          OPERATIONS.fetch('replayWebhookDelivery'),
          path: { 'id' => id, 'did' => did }
        )
      end

      # Count what a replay would deliver again.
      #
      # Failed deliveries made since the given time, and those that wait: what POST on this path would
      # queue if no more fail meanwhile.
      #
      # Scope: `messages:send` or `evidence:read`.
      # @param id [String] Webhook endpoint id.
      # @param since [String, nil] Failed deliveries made at this moment or later (RFC 3339). Omitted: all
      #   that are kept.
      # @return [Types::WebhookReplayCount]
      # @raise [Acuse::Error]
      def count_replay(id, since: nil)
        call(
          OPERATIONS.fetch('countWebhookReplay'),
          path: { 'id' => id },
          query: { 'since' => since }
        )
      end

      # Deliver all failed again.
      #
      # Queues every failed delivery made since the given time again; with `waiting` also those that wait
      # for their next attempt, as when the program is repaired.
      #
      # Scope: `messages:send`.
      # @param id [String] Webhook endpoint id.
      # @param body [Hash, Types::WebhookReplayRequest]
      # @return [Types::WebhookReplay]
      # @raise [Acuse::Error]
      def replay(id, body)
        call(
          OPERATIONS.fetch('replayWebhookDeliveries'),
          path: { 'id' => id },
          body: body
        )
      end
    end

    # Operations of events.
    class Events < Resource
      # List the account's events.
      #
      # Events of all messages of the account, newest first, in the form in which webhooks carry it, and
      # for as long as the messages are kept. To follow it, ask with order=asc and a created_after some 30
      # seconds back, and leave out each data.event_id that you have seen: events that happen at the same
      # time are not committed in the order of their times. A page with a filter reads up to 10,000
      # events, so that it may be short or empty before the last page: continue while next_cursor is not
      # null. acuse webhooks listen does all of this.
      #
      # Scope: `evidence:read`.
      # @param limit [Integer, nil] Number of entries to return.
      # @param after [String, nil] next_cursor of the previous page.
      # @param order [Types::EventOrder, nil] 
      # @param type [Array<Types::RecordedEventType>, nil] Events of these types: repeat it, or separate
      #   them by commas.
      # @param message_id [String, nil] Events of this message.
      # @param created_after [String, nil] Entries made at this moment or later (RFC 3339).
      # @param created_before [String, nil] Entries made before this moment (RFC 3339).
      # @return [List<Types::AccountEvent>]
      # @raise [Acuse::Error]
      def list(
        limit: nil,
        after: nil,
        order: nil,
        type: nil,
        message_id: nil,
        created_after: nil,
        created_before: nil
      )
        list_of(
          OPERATIONS.fetch('listEvents'),
          query: {
            'limit' => limit,
            'after' => after,
            'order' => order,
            'type' => type,
            'message_id' => message_id,
            'created_after' => created_after,
            'created_before' => created_before
          }
        )
      end
    end

    # Operations of rates.
    class Rates < Resource
      # Read rates.
      #
      # Operational metrics of the account over a window of days; not a claim of public deliverability.
      #
      # Scope: `evidence:read`.
      # @param days [Integer, nil] Number of UTC days, including today.
      # @return [Types::Rates]
      # @raise [Acuse::Error]
      def get(days: nil)
        call(
          OPERATIONS.fetch('getRates'),
          query: { 'days' => days }
        )
      end
    end

    # Operations of account.
    class Account < Resource
      # Read the account.
      #
      # State and settings of the account, and its use of both quotas in this UTC month, with the price.
      #
      # Scope: `evidence:read`.
      # @return [Types::Account]
      # @raise [Acuse::Error]
      def get
        call(
          OPERATIONS.fetch('getAccount')
        )
      end
    end

    # Operations of api keys.
    class ApiKeys < Resource
      # Create an API key.
      #
      # The key itself is shown only in this answer. A key cannot grant a scope that it lacks, and passes
      # on what narrows it.
      #
      # Scope: `api_keys:write`.
      # @param body [Hash, Types::NewApiKey]
      # @return [Types::ApiKeyWithSecret]
      # @raise [Acuse::Error]
      def create(body)
        call(
          OPERATIONS.fetch('createApiKey'),
          body: body
        )
      end

      # List API keys.
      #
      # API keys that are not revoked, newest first.
      #
      # Scope: `api_keys:write`.
      # @param limit [Integer, nil] Number of entries to return.
      # @param after [String, nil] next_cursor of the previous page.
      # @return [List<Types::ApiKey>]
      # @raise [Acuse::Error]
      def list(limit: nil, after: nil)
        list_of(
          OPERATIONS.fetch('listApiKeys'),
          query: { 'limit' => limit, 'after' => after }
        )
      end

      # Revoke an API key.
      #
      # Takes effect immediately and cannot be undone: the next request with the key answers 401. A key
      # can revoke itself.
      #
      # Scope: `api_keys:write`.
      # @param id [String] An id that is unknown or of another account answers 404.
      # @return [nil]
      # @raise [Acuse::Error]
      def revoke(id)
        call(
          OPERATIONS.fetch('revokeApiKey'),
          path: { 'id' => id }
        )
      end
    end

    # Operations of log.
    class Log < Resource
      # The log's keys.
      #
      # The verifier key (C2SP signed-note) that checkpoints and promises are signed with. A log that
      # signs checkpoints with ML-DSA-44 as well has that key on a second line.
      #
      # No key needed.
      # @return [String]
      # @raise [Acuse::Error]
      def key
        call(
          OPERATIONS.fetch('getLogKey')
        )
      end

      # A tile or an entry bundle.
      #
      # `/log/tile/<L>/<N>[.p/<W>]` and `/log/tile/entries/<N>[.p/<W>]` (C2SP tlog-tiles). An entry is a
      # canonical hash.
      #
      # No key needed.
      # @param path [String] `<L>/<N>[.p/<W>]` or `entries/<N>[.p/<W>]`: has slashes of its own.
      # @return [String]
      # @raise [Acuse::Error]
      def tile(path)
        call(
          OPERATIONS.fetch('getLogTile'),
          path: { 'path' => path }
        )
      end

      # The constancia over a checkpoint.
      #
      # The time-stamp over the three-line text of the checkpoint of this size, the note it stands in, and
      # what pins its authority. `previous_tree_size` leads to the batch before.
      #
      # No key needed.
      # @param tree_size [String] Size of a checkpoint.
      # @return [Types::LogCertificate]
      # @raise [Acuse::Error]
      def certificate(tree_size)
        call(
          OPERATIONS.fetch('getLogCertificate'),
          path: { 'tree_size' => tree_size }
        )
      end
    end

    # Operations of health.
    class Health < Resource
      # The process is alive.
      #
      # Answers as soon as the process serves HTTP, whatever the database does. For a supervisor that
      # restarts it.
      #
      # No key needed.
      # @return [Types::Health]
      # @raise [Acuse::Error]
      def live
        call(
          OPERATIONS.fetch('getHealth')
        )
      end

      # The process is ready.
      #
      # 200 once it has started, the database answers and it is not stopping; else 503. For a load
      # balancer.
      #
      # No key needed.
      # @return [Types::Health]
      # @raise [Acuse::Error]
      def ready
        call(
          OPERATIONS.fetch('getReadiness')
        )
      end
    end

    # Resource of the client => its class.
    ALL = {
      messages: Messages,
      evidence: Evidence,
      shares: Shares,
      templates: Templates,
      domains: Domains,
      senders: Senders,
      suppressions: Suppressions,
      webhooks: Webhooks,
      events: Events,
      rates: Rates,
      account: Account,
      api_keys: ApiKeys,
      log: Log,
      health: Health,
    }.freeze
  end
end
