<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** WebhookChange of the contract. */
final class WebhookChange extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'url' => ['string', false, true, false],
        'events' => [['array', ['ref', 'Subscription']], false, true, false],
        'description' => ['string', false, true, false],
        'enabled' => ['boolean', false, true, false],
    ];

    /**
     * https, resolving to public addresses only; no credentials, no fragment. Checked now and at each
     * connection.
     */
    public readonly ?string $url;
    /**
     * Event types that the endpoint receives.
     * @var list<string>|null
     */
    public readonly ?array $events;
    /** A label of your own. */
    public readonly ?string $description;
    /** true enables the endpoint again; false disables it, and events waiting for it fail. */
    public readonly ?bool $enabled;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->url = $values['url'] ?? null;
        $this->events = $values['events'] ?? null;
        $this->description = $values['description'] ?? null;
        $this->enabled = $values['enabled'] ?? null;
    }
}
