<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** NewWebhook of the contract. */
final class NewWebhook extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'url' => ['string', true, false, true],
        'events' => [['array', ['ref', 'Subscription']], true, false, true],
        'description' => ['string', false, true, false],
    ];

    /**
     * https, resolving to public addresses only; no credentials, no fragment. Checked now and at each
     * connection.
     */
    public readonly string $url;
    /**
     * Event types that the endpoint receives.
     * @var list<string>
     */
    public readonly array $events;
    /** A label of your own. */
    public readonly ?string $description;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->url = $values['url'];
        $this->events = $values['events'];
        $this->description = $values['description'] ?? null;
    }
}
