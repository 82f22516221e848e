<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** Claims of the report. Only its author vouches for them. */
final class ReportClaims extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'final_recipient' => ['string', true, true, false],
        'original_recipient' => ['string', true, true, false],
        'remote_mta' => ['string', true, true, false],
        'reply' => [['ref', 'ReportedReply'], true, true, false],
        'feedback_type' => ['string', true, true, false],
    ];

    /** Final-Recipient of the report. */
    public readonly ?string $final_recipient;
    /** Original-Recipient of the report. */
    public readonly ?string $original_recipient;
    /** Remote-MTA: the server that refused. */
    public readonly ?string $remote_mta;
    /** The reply that the report quotes. */
    public readonly ?ReportedReply $reply;
    /** Type of the complaint. */
    public readonly ?string $feedback_type;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->final_recipient = $values['final_recipient'] ?? null;
        $this->original_recipient = $values['original_recipient'] ?? null;
        $this->remote_mta = $values['remote_mta'] ?? null;
        $this->reply = $values['reply'] ?? null;
        $this->feedback_type = $values['feedback_type'] ?? null;
    }
}
