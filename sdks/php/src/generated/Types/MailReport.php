<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** MailReport of the contract. */
final class MailReport extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'effect' => ['string', true, false, false],
        'says' => ['string', true, false, false],
        'received_at' => ['string', true, false, false],
        'reported_by_mail' => [['ref', 'ReportedByMail'], true, false, false],
    ];

    /** Effect of the report on the message. none: it is recorded but changed nothing. */
    public readonly string $effect;
    /**
     * other: the report is about another recipient or another message. receipt: a statement of the
     * recipient's program (RFC 8098); claims.reply.text says what it did, and no one proves that
     * anybody read the message. acknowledged: the recipient's own mail, signed by their mail domain.
     */
    public readonly string $says;
    /** RFC 3339, UTC, milliseconds. */
    public readonly string $received_at;
    public readonly ?ReportedByMail $reported_by_mail;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->effect = $values['effect'] ?? '';
        $this->says = $values['says'] ?? '';
        $this->received_at = $values['received_at'] ?? '';
        $this->reported_by_mail = $values['reported_by_mail'] ?? null;
    }
}
