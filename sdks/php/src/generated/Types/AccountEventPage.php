<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** AccountEventPage of the contract. */
final class AccountEventPage extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'data' => [['array', ['ref', 'AccountEvent']], true, false, true],
        'next_cursor' => ['string', true, true, true],
        'scanned_to' => ['string', true, true, false],
    ];

    /**
     * The entries, in order.
     * @var list<AccountEvent>
     */
    public readonly array $data;
    /** Pass it as after to get the next page; null on the last page. */
    public readonly ?string $next_cursor;
    /**
     * On a page that is short because matches are rare: created_at of the last event read. Continue
     * with next_cursor. null: the page is full, or it is the last.
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
