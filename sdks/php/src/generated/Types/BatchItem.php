<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** BatchItem of the contract. */
final class BatchItem extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'idempotency_key' => ['string', true, false, true],
        'from' => ['string', true, false, true],
        'to' => [['ref', 'Recipients'], true, false, true],
        'cc' => [['ref', 'CopyRecipients'], false, true, false],
        'bcc' => [['ref', 'CopyRecipients'], false, true, false],
        'skip_suppressed' => ['boolean', false, true, false],
        'subject' => ['string', false, true, false],
        'text' => ['string', false, true, false],
        'html' => ['string', false, true, false],
        'certified' => ['boolean', false, true, false],
        'template_id' => ['string', false, true, false],
        'template' => ['string', false, true, false],
        'locale' => ['string', false, true, false],
        'variables' => [['map', 'json'], false, true, false],
        'reply_to' => [['ref', 'ReplyTo'], false, true, false],
        'send_at' => ['string', false, true, false],
        'acknowledgement' => [['ref', 'AcknowledgementRequest'], false, true, false],
        'acknowledge_by' => ['string', false, true, false],
        'headers' => [['map', 'string'], false, true, false],
        'attachments' => [['array', ['ref', 'Attachment']], false, true, false],
        'tags' => [['array', 'string'], false, true, false],
        'metadata' => [['map', 'string'], false, true, false],
    ];

    /** Printable ASCII; the same when you retry. */
    public readonly string $idempotency_key;
    /** An address of a verified domain, or Name <address>. */
    public readonly string $from;
    /** @var string|list<string> */
    public readonly string|array $to;
    /**
     * Shown in Cc: an address or a list.
     * @var string|list<string>|null
     */
    public readonly string|array|null $cc;
    /**
     * Blind copies: an address or a list, which no message and no evidence shows.
     * @var string|list<string>|null
     */
    public readonly string|array|null $bcc;
    /**
     * true: leave out suppressed recipients and report them in skipped, as long as one is left.
     * Otherwise one suppressed recipient refuses the request.
     */
    public readonly ?bool $skip_suppressed;
    /** At most 998 bytes of UTF-8. */
    public readonly ?string $subject;
    /** Plain body. At least one of text, html, template and template_id is required. */
    public readonly ?string $text;
    /** HTML body. */
    public readonly ?string $html;
    /** Overrides the account's default_certified for this message. */
    public readonly ?bool $certified;
    /** A template of this account. It gives whichever of subject, text and html the request leaves out. */
    public readonly ?string $template_id;
    /** The name of a template of this account, in place of template_id. */
    public readonly ?string $template;
    /**
     * Language tag that chooses a variant of the template: es-MX, else es, else the template's own
     * content. Also the language in which a recipient is asked to acknowledge the message: es or en.
     */
    public readonly ?string $locale;
    /**
     * The template's data.
     * @var array<string, mixed>|null
     */
    public readonly ?array $variables;
    /**
     * Where replies go: an address or a list.
     * @var string|list<string>|null
     */
    public readonly string|array|null $reply_to;
    /**
     * When to send it: RFC 3339 with an offset from UTC, at most 30 days ahead; at once when omitted.
     * It is accepted, and promised if certified, now.
     */
    public readonly ?string $send_at;
    /** Asks the recipient to acknowledge receipt. */
    public readonly ?string $acknowledgement;
    /**
     * Until when the recipient may acknowledge it: RFC 3339 with an offset from UTC, 1 hour to 90 days
     * after the message is sent; 15 days when omitted.
     */
    public readonly ?string $acknowledge_by;
    /**
     * Additional header fields: X-*, List-*, References, In-Reply-To, Auto-Submitted, Feedback-ID,
     * Importance, Precedence, TLS-Required and others that docs/submitted-messages.md lists.
     * @var array<string, string>|null
     */
    public readonly ?array $headers;
    /**
     * Files and inline images.
     * @var list<Attachment>|null
     */
    public readonly ?array $attachments;
    /**
     * Labels to filter messages by; never part of the mail.
     * @var list<string>|null
     */
    public readonly ?array $tags;
    /**
     * Up to 20 key-value pairs of your own; never part of the mail.
     * @var array<string, string>|null
     */
    public readonly ?array $metadata;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->idempotency_key = $values['idempotency_key'];
        $this->from = $values['from'];
        $this->to = $values['to'];
        $this->cc = $values['cc'] ?? null;
        $this->bcc = $values['bcc'] ?? null;
        $this->skip_suppressed = $values['skip_suppressed'] ?? null;
        $this->subject = $values['subject'] ?? null;
        $this->text = $values['text'] ?? null;
        $this->html = $values['html'] ?? null;
        $this->certified = $values['certified'] ?? null;
        $this->template_id = $values['template_id'] ?? null;
        $this->template = $values['template'] ?? null;
        $this->locale = $values['locale'] ?? null;
        $this->variables = $values['variables'] ?? null;
        $this->reply_to = $values['reply_to'] ?? null;
        $this->send_at = $values['send_at'] ?? null;
        $this->acknowledgement = $values['acknowledgement'] ?? null;
        $this->acknowledge_by = $values['acknowledge_by'] ?? null;
        $this->headers = $values['headers'] ?? null;
        $this->attachments = $values['attachments'] ?? null;
        $this->tags = $values['tags'] ?? null;
        $this->metadata = $values['metadata'] ?? null;
    }
}
