<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** Acknowledgement of the contract. */
final class Acknowledgement extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'status' => [['ref', 'AcknowledgementStatus'], true, false, false],
        'source' => ['string', true, true, false],
        'at' => ['string', true, true, false],
        'until' => ['string', true, false, false],
    ];

    public readonly string $status;
    /**
     * recipient_page: somebody who reads the recipient's mailbox acted on the page, with a code that
     * was sent there; not who. reported_by_mail: a reply that the recipient's mail domain signed.
     * operator: the time ran out.
     */
    public readonly ?string $source;
    /** When it was decided. */
    public readonly ?string $at;
    /** Until when the recipient may acknowledge it. */
    public readonly string $until;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->status = $values['status'] ?? '';
        $this->source = $values['source'] ?? null;
        $this->at = $values['at'] ?? null;
        $this->until = $values['until'] ?? '';
    }
}
