<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** WebhookDeliveryPage of the contract. */
final class WebhookDeliveryPage extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'data' => [['array', ['ref', 'WebhookDelivery']], true, false, true],
        'next_cursor' => ['string', true, true, true],
        'scanned_to' => ['string', true, true, false],
    ];

    /**
     * The entries, in order.
     * @var list<WebhookDelivery>
     */
    public readonly array $data;
    /** Pass it as after to get the next page; null on the last page. */
    public readonly ?string $next_cursor;
    /**
     * With a filter, on a page that is not full: created_at of the oldest delivery read. Continue with
     * next_cursor. null: the page is full, or it is the last.
     */
    public readonly ?string $scanned_to;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->data = $values['data'];
        $this->next_cursor = $values['next_cursor'] ?? null;
        $this->scanned_to = $values['scanned_to'] ?? null;
    }
}
