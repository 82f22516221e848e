<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** Webhook of the contract. */
final class Webhook extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'id' => ['string', true, false, true],
        'url' => ['string', true, false, false],
        'events' => [['array', ['ref', 'Subscription']], true, false, false],
        'description' => ['string', true, true, false],
        'enabled' => ['boolean', true, false, false],
        'disabled_reason' => [['ref', 'WebhookDisabledReason'], true, true, false],
        'failing_since' => ['string', true, true, false],
        'disables_at' => ['string', true, true, false],
        'created_at' => ['string', true, false, false],
        'updated_at' => ['string', true, false, false],
    ];

    /** UUIDv7. */
    public readonly string $id;
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
    /** True: events are delivered. */
    public readonly bool $enabled;
    /**
     * gone: it answered 410; failing: only failures for five days; manual: disabled by request; null:
     * it is enabled.
     */
    public readonly ?string $disabled_reason;
    /** First failure since the last success. */
    public readonly ?string $failing_since;
    /**
     * When it is disabled if it does nothing but fail until then. null: it is not failing, or is
     * disabled.
     */
    public readonly ?string $disables_at;
    /** RFC 3339, UTC, milliseconds. */
    public readonly string $created_at;
    /** RFC 3339, UTC, milliseconds. */
    public readonly string $updated_at;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->id = $values['id'];
        $this->url = $values['url'] ?? '';
        $this->events = $values['events'] ?? [];
        $this->description = $values['description'] ?? null;
        $this->enabled = $values['enabled'] ?? false;
        $this->disabled_reason = $values['disabled_reason'] ?? null;
        $this->failing_since = $values['failing_since'] ?? null;
        $this->disables_at = $values['disables_at'] ?? null;
        $this->created_at = $values['created_at'] ?? '';
        $this->updated_at = $values['updated_at'] ?? '';
    }
}
