<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Resources;

use Acuse\Errors\AcuseError;
use Acuse\Internal\Resource;
use Acuse\Listing;
use Acuse\Types;

/** Operations of messages. */
final class Messages extends Resource
{
    use \Acuse\Internal\SendsMessages;

    /**
     * List messages.
     *
     * Newest first. Filters are combined: a message must match each. A page with a filter reads up to
     * 8,000 messages (of one recipient, with to), so that it may be short or empty before the last
     * page: continue while next_cursor is not null.
     *
     * Scope: `evidence:read`.
     * @param int|null $limit Number of entries to return.
     * @param string|null $after next_cursor of the previous page.
     * @param string|null $q Messages with all of these words: each begins a word of the subject or of
     *   the recipient's name, is part of the recipient's address, or begins the id that the receiving
     *   server gave the message. Accents, upper and lower case are the same.
     * @param list<string>|string|null $status Messages in one of these states: repeat it, or separate
     *   them by commas.
     * @param bool|null $certified
     * @param bool|null $sealed True: it has a constancia. Plain messages never have one.
     * @param list<string>|string|null $bounceType Messages that bounced in one of these ways.
     * @param list<string>|string|null $bounceReason Messages that bounced for one of these reasons.
     * @param list<string>|string|null $reason Messages that bounced, or wait for another attempt, for
     *   one of these reasons.
     * @param list<string>|string|null $acknowledgement Messages that asked their recipient to
     *   acknowledge them, and are in one of these states.
     * @param string|null $from Sender address, in any spelling, or a domain for all of its addresses.
     * @param string|null $to Recipient address, in any spelling, or a domain for all of its addresses.
     * @param string|null $subject Messages whose subject contains this text; upper and lower case are
     *   the same.
     * @param string|null $tag Messages that carry this tag.
     * @param string|null $templateId Messages made from this template.
     * @param string|null $apiKeyId Messages that this API key sent.
     * @param string|null $metadataKey Messages whose metadata has this key.
     * @param string|null $metadataValue With metadata_key: messages whose metadata has this value
     *   there.
     * @param string|\DateTimeInterface|null $createdAfter Entries made at this moment or later (RFC
     *   3339).
     * @param string|\DateTimeInterface|null $createdBefore Entries made before this moment (RFC 3339).
     * @return Listing<Types\Message, Types\MessagePage>
     * @throws AcuseError
     */
    public function list(
        ?int $limit = null,
        ?string $after = null,
        ?string $q = null,
        array|string|null $status = null,
        ?bool $certified = null,
        ?bool $sealed = null,
        array|string|null $bounceType = null,
        array|string|null $bounceReason = null,
        array|string|null $reason = null,
        array|string|null $acknowledgement = null,
        ?string $from = null,
        ?string $to = null,
        ?string $subject = null,
        ?string $tag = null,
        ?string $templateId = null,
        ?string $apiKeyId = null,
        ?string $metadataKey = null,
        ?string $metadataValue = null,
        string|\DateTimeInterface|null $createdAfter = null,
        string|\DateTimeInterface|null $createdBefore = null,
    ): Listing {
        return $this->listOf(
            'listMessages',
            query: [
                'limit' => $limit,
                'after' => $after,
                'q' => $q,
                'status' => $status,
                'certified' => $certified,
                'sealed' => $sealed,
                'bounce_type' => $bounceType,
                'bounce_reason' => $bounceReason,
                'reason' => $reason,
                'acknowledgement' => $acknowledgement,
                'from' => $from,
                'to' => $to,
                'subject' => $subject,
                'tag' => $tag,
                'template_id' => $templateId,
                'api_key_id' => $apiKeyId,
                'metadata_key' => $metadataKey,
                'metadata_value' => $metadataValue,
                'created_after' => $createdAfter,
                'created_before' => $createdBefore,
            ],
        );
    }

    /**
     * Export messages as CSV.
     *
     * Every message that matches the filters of the list, newest first, as UTF-8 with a header line. A
     * cell that a spreadsheet would take for a formula starts with an apostrophe. The answer is as
     * long as the list: it is read a page at a time while you receive it.
     *
     * Scope: `evidence:read`.
     * @param string|null $q Messages with all of these words: each begins a word of the subject or of
     *   the recipient's name, is part of the recipient's address, or begins the id that the receiving
     *   server gave the message. Accents, upper and lower case are the same.
     * @param list<string>|string|null $status Messages in one of these states: repeat it, or separate
     *   them by commas.
     * @param bool|null $certified
     * @param bool|null $sealed True: it has a constancia. Plain messages never have one.
     * @param list<string>|string|null $bounceType Messages that bounced in one of these ways.
     * @param list<string>|string|null $bounceReason Messages that bounced for one of these reasons.
     * @param list<string>|string|null $reason Messages that bounced, or wait for another attempt, for
     *   one of these reasons.
     * @param list<string>|string|null $acknowledgement Messages that asked their recipient to
     *   acknowledge them, and are in one of these states.
     * @param string|null $from Sender address, in any spelling, or a domain for all of its addresses.
     * @param string|null $to Recipient address, in any spelling, or a domain for all of its addresses.
     * @param string|null $subject Messages whose subject contains this text; upper and lower case are
     *   the same.
     * @param string|null $tag Messages that carry this tag.
     * @param string|null $templateId Messages made from this template.
     * @param string|null $apiKeyId Messages that this API key sent.
     * @param string|null $metadataKey Messages whose metadata has this key.
     * @param string|null $metadataValue With metadata_key: messages whose metadata has this value
     *   there.
     * @param string|\DateTimeInterface|null $createdAfter Entries made at this moment or later (RFC
     *   3339).
     * @param string|\DateTimeInterface|null $createdBefore Entries made before this moment (RFC 3339).
     * @throws AcuseError
     */
    public function exportCsv(
        ?string $q = null,
        array|string|null $status = null,
        ?bool $certified = null,
        ?bool $sealed = null,
        array|string|null $bounceType = null,
        array|string|null $bounceReason = null,
        array|string|null $reason = null,
        array|string|null $acknowledgement = null,
        ?string $from = null,
        ?string $to = null,
        ?string $subject = null,
        ?string $tag = null,
        ?string $templateId = null,
        ?string $apiKeyId = null,
        ?string $metadataKey = null,
        ?string $metadataValue = null,
        string|\DateTimeInterface|null $createdAfter = null,
        string|\DateTimeInterface|null $createdBefore = null,
    ): string {
        return $this->call(
            'exportMessages',
            query: [
                'q' => $q,
                'status' => $status,
                'certified' => $certified,
                'sealed' => $sealed,
                'bounce_type' => $bounceType,
                'bounce_reason' => $bounceReason,
                'reason' => $reason,
                'acknowledgement' => $acknowledgement,
                'from' => $from,
                'to' => $to,
                'subject' => $subject,
                'tag' => $tag,
                'template_id' => $templateId,
                'api_key_id' => $apiKeyId,
                'metadata_key' => $metadataKey,
                'metadata_value' => $metadataValue,
                'created_after' => $createdAfter,
                'created_before' => $createdBefore,
            ],
        );
    }

    /**
     * Read a message.
     *
     * Its status, the last reply of the recipient's server, and what is known of its bounce. Attempts
     * and evidence have routes of their own.
     *
     * Scope: `evidence:read`.
     * @param string $id An id that is unknown or of another account answers 404.
     * @throws AcuseError
     */
    public function get(string $id): Types\Message
    {
        return $this->call('getMessage', path: ['id' => $id]);
    }

    /**
     * Move a scheduled message.
     *
     * Gives a scheduled message another send_at, at most 30 days after it was accepted; null, or a
     * time that has just passed, queues it at once. Nothing else of an accepted message can be
     * changed: cancel it and send another. Answers 409 once it has been queued or cancelled.
     *
     * Scope: `messages:send`.
     * @param string $id An id that is unknown or of another account answers 404.
     * @throws AcuseError
     */
    public function update(
        string $id,
        #[\SensitiveParameter] array|Types\MessageChange $body,
    ): Types\Message {
        return $this->call('updateMessage', path: ['id' => $id], body: $body);
    }

    /**
     * List a message's events.
     *
     * Oldest first. A cancellation is listed too, as email.cancelled, although webhooks do not carry
     * it.
     *
     * Scope: `evidence:read`.
     * @param string $id An id that is unknown or of another account answers 404.
     * @param int|null $limit Number of entries to return.
     * @param string|null $after next_cursor of the previous page.
     * @return Listing<Types\Event, Types\EventPage>
     * @throws AcuseError
     */
    public function listEvents(string $id, ?int $limit = null, ?string $after = null): Listing
    {
        return $this->listOf(
            'listMessageEvents',
            path: ['id' => $id],
            query: ['limit' => $limit, 'after' => $after],
        );
    }

    /**
     * Download the composed message.
     *
     * The message as composed and hashed, starting with its first header (Service-Evidence); DKIM
     * signatures are put in front of it at delivery. Also answers 404 after its content was deleted:
     * the error message says when and why. With `Service-Content-Source: archive` the content came
     * from the archive of its month, which takes longer; while that archive cannot be reached, 503.
     *
     * Scope: `evidence:read`.
     * @param string $id An id that is unknown or of another account answers 404.
     * @throws AcuseError
     */
    public function getRaw(string $id): string
    {
        return $this->call('getRawMessage', path: ['id' => $id]);
    }

    /**
     * Read a message's headers, parts and links.
     *
     * The contents of the composed message: its header fields, its parts with the hashes that its
     * evidence has, the links of its texts with the addresses that they open, and what a mail program
     * would fetch from elsewhere. Answers 404 after its content was deleted: the error message says
     * when and why.
     *
     * Scope: `evidence:read`.
     * @param string $id An id that is unknown or of another account answers 404.
     * @throws AcuseError
     */
    public function getParts(string $id): Types\MessageParts
    {
        return $this->call('getMessageParts', path: ['id' => $id]);
    }

    /**
     * Download a part of a message.
     *
     * The decoded content of the part, as it was hashed: a text without a file name is in UTF-8 with
     * LF line ends and without white space at line ends. Whatever its media type, it is sent as a file
     * to be saved.
     *
     * Scope: `evidence:read`.
     * @param string $id An id that is unknown or of another account answers 404.
     * @param string $index index of the part.
     * @throws AcuseError
     */
    public function getPart(string $id, string $index): string
    {
        return $this->call('getMessagePart', path: ['id' => $id, 'index' => $index]);
    }

    /**
     * List a message's delivery attempts.
     *
     * Delivery attempts, oldest first, each with the SMTP transcript of every host that was tried.
     *
     * Scope: `evidence:read`.
     * @param string $id An id that is unknown or of another account answers 404.
     * @param int|null $limit Number of entries to return.
     * @param string|null $after next_cursor of the previous page.
     * @return Listing<Types\Attempt, Types\AttemptPage>
     * @throws AcuseError
     */
    public function listAttempts(string $id, ?int $limit = null, ?string $after = null): Listing
    {
        return $this->listOf(
            'listMessageAttempts',
            path: ['id' => $id],
            query: ['limit' => $limit, 'after' => $after],
        );
    }

    /**
     * List what was reported by mail.
     *
     * Mail to the return path of the message: the host that delivered it, its DKIM and SPF results,
     * and what it claims. Only the first of each kind; of receipts, the first that says displayed. The
     * SMTP sessions of this service are under attempts.
     *
     * Scope: `evidence:read`.
     * @param string $id An id that is unknown or of another account answers 404.
     * @throws AcuseError
     */
    public function listReports(string $id): Types\MailReportList
    {
        return $this->call('listMessageReports', path: ['id' => $id]);
    }

    /**
     * Download the delivery status notification.
     *
     * The newest multipart/report (RFC 3464) of the message: relayed when it was sent, failed when it
     * bounced, delayed while it has been deferred for over four hours. The bounce may be a report that
     * came by mail: see /reports. Answers 404 while there is none, and after the message was erased.
     *
     * Scope: `evidence:read`.
     * @param string $id An id that is unknown or of another account answers 404.
     * @throws AcuseError
     */
    public function getDsn(string $id): string
    {
        return $this->call('getMessageDsn', path: ['id' => $id]);
    }

    /**
     * Retry a deferred message now.
     *
     * Makes a deferred message due at once instead of at its next attempt; the schedule continues
     * after it. Answers 409 for a message in any other state, for one that is being handed over at the
     * moment, and while the operator has paused its mail; the error message says which.
     *
     * Scope: `messages:send`.
     * @param string $id An id that is unknown or of another account answers 404.
     * @throws AcuseError
     */
    public function retry(string $id): Types\Message
    {
        return $this->call('retryMessage', path: ['id' => $id]);
    }

    /**
     * Cancel a message.
     *
     * Ends a queued or deferred message that is not being handed over at the moment: its status
     * becomes cancelled, and, if it is certified, the log gets an outcome that says so. A cancelled
     * message has not bounced: it counts in no rate, and there is no delivery report about it. Its
     * events list email.cancelled, which webhooks do not carry. Its quota stays used. 409 once a
     * server may have it, and for what has ended already.
     *
     * Scope: `messages:send`.
     * @param string $id An id that is unknown or of another account answers 404.
     * @throws AcuseError
     */
    public function cancel(string $id): Types\Message
    {
        return $this->call('cancelMessage', path: ['id' => $id]);
    }

    /**
     * Say why a message waits.
     *
     * Reasons why the message waits, the present one first: its schedule, its next attempt, a pause, a
     * busy destination, the messages before it; then its last reply and when it expires. Empty once it
     * is sent, bounced or cancelled.
     *
     * Scope: `evidence:read`.
     * @param string $id An id that is unknown or of another account answers 404.
     * @throws AcuseError
     */
    public function getWaiting(string $id): Types\Waiting
    {
        return $this->call('getMessageWaiting', path: ['id' => $id]);
    }
}
