<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** DeliveryOutcome of the contract. */
final class DeliveryOutcome extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'kind' => ['string', true, false, false],
        'source' => ['string', true, false, false],
        'occurred_at' => ['string', true, false, false],
        'leaf_index' => ['integer', true, true, false],
        'canonical_hash' => ['string', true, false, false],
        'sealed_at' => ['string', true, true, false],
    ];

    /**
     * cancelled: called back before any server took it; nothing failed. acknowledged, refused: the
     * recipient's own act, where the send asked for it; unanswered: it did not come in time;
     * displayed: what a mail program stated.
     */
    public readonly string $kind;
    /**
     * session: a server answered it in our own SMTP session; operator: nobody answered, we ended it;
     * reported_by_mail: a mail said so; recipient_page: somebody who reads the recipient's mailbox
     * acted on the page, with a code that was sent there.
     */
    public readonly string $source;
    /** RFC 3339, UTC, milliseconds. */
    public readonly string $occurred_at;
    /** Place of the outcome in the log. */
    public readonly ?int $leaf_index;
    /** SHA-256, lower-case hex. */
    public readonly string $canonical_hash;
    /** RFC 3339, UTC, milliseconds. */
    public readonly ?string $sealed_at;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->kind = $values['kind'] ?? '';
        $this->source = $values['source'] ?? '';
        $this->occurred_at = $values['occurred_at'] ?? '';
        $this->leaf_index = $values['leaf_index'] ?? null;
        $this->canonical_hash = $values['canonical_hash'] ?? '';
        $this->sealed_at = $values['sealed_at'] ?? null;
    }
}
