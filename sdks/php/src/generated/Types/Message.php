<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** Message of the contract. */
final class Message extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'id' => ['string', true, false, true],
        'idempotency_key' => ['string', true, false, false],
        'from' => ['string', true, false, false],
        'to' => ['string', true, false, false],
        'subject' => ['string', true, false, false],
        'certified' => ['boolean', true, false, false],
        'status' => [['ref', 'MessageStatus'], true, false, false],
        'template_id' => ['string', true, true, false],
        'tags' => [['array', 'string'], true, false, false],
        'metadata' => [['map', 'string'], true, false, false],
        'size_bytes' => ['integer', true, false, false],
        'created_at' => ['string', true, false, false],
        'send_at' => ['string', true, true, false],
        'queued_at' => ['string', true, true, false],
        'sent_at' => ['string', true, true, false],
        'deferred_at' => ['string', true, true, false],
        'bounced_at' => ['string', true, true, false],
        'cancelled_at' => ['string', true, true, false],
        'complained_at' => ['string', true, true, false],
        'sealed_at' => ['string', true, true, false],
        'attempts' => ['integer', true, false, false],
        'next_attempt_at' => ['string', true, true, false],
        'last_reply' => [['ref', 'DecidingReply'], true, true, false],
        'bounce' => [['ref', 'Bounce'], false, true, false],
        'deferral' => [['ref', 'Deferral'], false, true, false],
        'reported_by_mail' => [['ref', 'ReportedByMail'], false, false, false],
        'content_deleted_at' => ['string', true, true, false],
        'content_archived_in' => ['string', false, false, false],
        'acknowledgement' => [['ref', 'Acknowledgement'], false, true, false],
        'promise' => ['string', true, true, false],
        'copies' => [['array', ['ref', 'MessageCopy']], false, false, false],
        'skipped' => [['array', ['ref', 'SkippedRecipient']], false, false, false],
        'warnings' => [['array', ['ref', 'SendWarning']], false, false, false],
    ];

    /** UUIDv7. */
    public readonly string $id;
    /** Idempotency-Key of the send. */
    public readonly string $idempotency_key;
    /** As submitted: an address, or Name <address>. */
    public readonly string $from;
    /** As submitted: an address, or Name <address>. */
    public readonly string $to;
    /** Subject as sent; rendered if it came from a template. */
    public readonly string $subject;
    /** True: the message is in the Merkle log or will be; false: never. */
    public readonly bool $certified;
    /** Where the message is on its way. */
    public readonly string $status;
    /** UUIDv7. */
    public readonly ?string $template_id;
    /**
     * Your own labels.
     * @var list<string>
     */
    public readonly array $tags;
    /**
     * Your own key-value pairs.
     * @var array<string, string>
     */
    public readonly array $metadata;
    /** Size of the composed message in bytes, before the DKIM signatures. */
    public readonly int $size_bytes;
    /** When the message was accepted and committed. */
    public readonly string $created_at;
    /** When a message that was scheduled is sent, or was to be sent; null: it was sent at once. */
    public readonly ?string $send_at;
    /** When the message was queued: created_at, or when it fell due. null while it is scheduled. */
    public readonly ?string $queued_at;
    /** When the receiving server accepted the message (2xx to the final dot). */
    public readonly ?string $sent_at;
    /** When the message was last deferred. */
    public readonly ?string $deferred_at;
    /** When the message was permanently refused. */
    public readonly ?string $bounced_at;
    /** When the message was cancelled, before any server took it. */
    public readonly ?string $cancelled_at;
    /** When the recipient complained. */
    public readonly ?string $complained_at;
    /** genTime of the constancia over its batch. */
    public readonly ?string $sealed_at;
    /** Number of delivery attempts made. */
    public readonly int $attempts;
    /** When the next attempt is due; send_at while it is scheduled; null when there will be none. */
    public readonly ?string $next_attempt_at;
    /** Reply to the last attempt. If reported_by_mail is set: what the report says; mx is then null. */
    public readonly ?DecidingReply $last_reply;
    /** How and why it bounced; null: it did not. */
    public readonly ?Bounce $bounce;
    /** Why the last attempt did not succeed; null unless it is deferred. */
    public readonly ?Deferral $deferral;
    public readonly ?ReportedByMail $reported_by_mail;
    /**
     * When its content was deleted, because its retention period ended or because its erasure was
     * requested; after an erasure to, subject, tags and metadata are empty.
     */
    public readonly ?string $content_deleted_at;
    /**
     * Only while an archive alone has the content: the UTC month of that archive. Reading the content
     * then takes longer, and is 503 while the archive cannot be reached.
     */
    public readonly ?string $content_archived_in;
    /** State of the acknowledgement; null: nobody asked for one. */
    public readonly ?Acknowledgement $acknowledgement;
    /**
     * Certified only: a signed note in which the log promises to include the message; in the answer to
     * a send, several messages may share one signature, each with its path to it. Keep it as it is
     * (see docs/evidence-format.md).
     */
    public readonly ?string $promise;
    /**
     * Only in the answer to a send with several recipients: the messages to the others, in the order
     * of to, cc and bcc.
     * @var list<MessageCopy>|null
     */
    public readonly ?array $copies;
    /**
     * Only in the answer to a send with skip_suppressed that left out recipients.
     * @var list<SkippedRecipient>|null
     */
    public readonly ?array $skipped;
    /**
     * Only in the answer to a send in which something was dropped, guessed or changed, or cannot work
     * yet. The message was accepted.
     * @var list<SendWarning>|null
     */
    public readonly ?array $warnings;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->id = $values['id'];
        $this->idempotency_key = $values['idempotency_key'] ?? '';
        $this->from = $values['from'] ?? '';
        $this->to = $values['to'] ?? '';
        $this->subject = $values['subject'] ?? '';
        $this->certified = $values['certified'] ?? false;
        $this->status = $values['status'] ?? '';
        $this->template_id = $values['template_id'] ?? null;
        $this->tags = $values['tags'] ?? [];
        $this->metadata = $values['metadata'] ?? [];
        $this->size_bytes = $values['size_bytes'] ?? 0;
        $this->created_at = $values['created_at'] ?? '';
        $this->send_at = $values['send_at'] ?? null;
        $this->queued_at = $values['queued_at'] ?? null;
        $this->sent_at = $values['sent_at'] ?? null;
        $this->deferred_at = $values['deferred_at'] ?? null;
        $this->bounced_at = $values['bounced_at'] ?? null;
        $this->cancelled_at = $values['cancelled_at'] ?? null;
        $this->complained_at = $values['complained_at'] ?? null;
        $this->sealed_at = $values['sealed_at'] ?? null;
        $this->attempts = $values['attempts'] ?? 0;
        $this->next_attempt_at = $values['next_attempt_at'] ?? null;
        $this->last_reply = $values['last_reply'] ?? null;
        $this->bounce = $values['bounce'] ?? null;
        $this->deferral = $values['deferral'] ?? null;
        $this->reported_by_mail = $values['reported_by_mail'] ?? null;
        $this->content_deleted_at = $values['content_deleted_at'] ?? null;
        $this->content_archived_in = $values['content_archived_in'] ?? null;
        $this->acknowledgement = $values['acknowledgement'] ?? null;
        $this->promise = $values['promise'] ?? null;
        $this->copies = $values['copies'] ?? null;
        $this->skipped = $values['skipped'] ?? null;
        $this->warnings = $values['warnings'] ?? null;
    }
}
