<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Resources;

use Acuse\Errors\AcuseError;
use Acuse\Internal\Resource;
use Acuse\Listing;
use Acuse\Types;

/** Operations of webhooks. */
final class Webhooks extends Resource
{
    /**
     * Create a webhook endpoint.
     *
     * The secret is shown only in this answer: keep it to verify Service-Signature. Limit: 20
     * endpoints per account.
     *
     * Scope: `messages:send`.
     * @throws AcuseError
     */
    public function create(#[\SensitiveParameter] array|Types\NewWebhook $body): Types\WebhookWithSecret
    {
        return $this->call('createWebhook', body: $body);
    }

    /**
     * List webhook endpoints.
     *
     * The endpoints of the account with their state, newest first.
     *
     * Scope: `messages:send` or `evidence:read`.
     * @param int|null $limit Number of entries to return.
     * @param string|null $after next_cursor of the previous page.
     * @return Listing<Types\Webhook, Types\WebhookPage>
     * @throws AcuseError
     */
    public function list(?int $limit = null, ?string $after = null): Listing
    {
        return $this->listOf('listWebhooks', query: ['limit' => $limit, 'after' => $after]);
    }

    /**
     * Read a webhook endpoint.
     *
     * Its URL, events and state; the secret is shown only when it is made or rotated.
     *
     * Scope: `messages:send` or `evidence:read`.
     * @param string $id Webhook endpoint id.
     * @throws AcuseError
     */
    public function get(string $id): Types\Webhook
    {
        return $this->call('getWebhook', path: ['id' => $id]);
    }

    /**
     * Change a webhook endpoint.
     *
     * Events waiting for the endpoint go to its new url. Omitted fields stay unchanged.
     *
     * Scope: `messages:send`.
     * @param string $id Webhook endpoint id.
     * @throws AcuseError
     */
    public function update(
        string $id,
        #[\SensitiveParameter] array|Types\WebhookChange $body,
    ): Types\Webhook {
        return $this->call('updateWebhook', path: ['id' => $id], body: $body);
    }

    /**
     * Delete a webhook endpoint.
     *
     * Deletes the endpoint; events waiting for it are no longer delivered.
     *
     * Scope: `messages:send`.
     * @param string $id Webhook endpoint id.
     * @throws AcuseError
     */
    public function delete(string $id): void
    {
        $this->call('deleteWebhook', path: ['id' => $id]);
    }

    /**
     * Rotate the secret.
     *
     * Service-Signature is keyed with the new secret at once; for 24 hours Service-Signature-Previous
     * and a second webhook-signature carry the old one.
     *
     * Scope: `messages:send`.
     * @param string $id Webhook endpoint id.
     * @throws AcuseError
     */
    public function rotateSecret(string $id): Types\WebhookWithSecret
    {
        return $this->call('rotateWebhookSecret', path: ['id' => $id]);
    }

    /**
     * Ping a webhook endpoint.
     *
     * Delivers one synthetic event at once (the endpoint's first type, email.queued for *;
     * data.synthetic is true) and reports the result. A failure of the endpoint is a result, not an
     * error.
     *
     * Scope: `messages:send`.
     * @param string $id Webhook endpoint id.
     * @throws AcuseError
     */
    public function ping(string $id): Types\WebhookPing
    {
        return $this->call('pingWebhook', path: ['id' => $id]);
    }

    /**
     * List deliveries.
     *
     * Newest first, for 30 days. A page with a filter reads up to 10,000 deliveries, so that it may be
     * short or empty before the last page: continue while next_cursor is not null.
     *
     * Scope: `messages:send` or `evidence:read`.
     * @param string $id Webhook endpoint id.
     * @param int|null $limit Number of entries to return.
     * @param string|null $after next_cursor of the previous page.
     * @param string|null $status
     * @param list<string>|string|null $type Deliveries of these events: repeat it, or separate them by
     *   commas.
     * @param string|\DateTimeInterface|null $createdAfter Entries made at this moment or later (RFC
     *   3339).
     * @param string|\DateTimeInterface|null $createdBefore Entries made before this moment (RFC 3339).
     * @return Listing<Types\WebhookDelivery, Types\WebhookDeliveryPage>
     * @throws AcuseError
     */
    public function listDeliveries(
        string $id,
        ?int $limit = null,
        ?string $after = null,
        ?string $status = null,
        array|string|null $type = null,
        string|\DateTimeInterface|null $createdAfter = null,
        string|\DateTimeInterface|null $createdBefore = null,
    ): Listing {
        return $this->listOf(
            'listWebhookDeliveries',
            path: ['id' => $id],
            query: [
                'limit' => $limit,
                'after' => $after,
                'status' => $status,
                'type' => $type,
                'created_after' => $createdAfter,
                'created_before' => $createdBefore,
            ],
        );
    }

    /**
     * Read a delivery with its attempts.
     *
     * The body that was sent and, for each attempt, the endpoint's answer or what went wrong.
     *
     * Scope: `messages:send` or `evidence:read`.
     * @param string $id Webhook endpoint id.
     * @param string $did Delivery id.
     * @throws AcuseError
     */
    public function getDelivery(string $id, string $did): Types\WebhookDeliveryDetail
    {
        return $this->call('getWebhookDelivery', path: ['id' => $id, 'did' => $did]);
    }

    /**
     * Deliver again.
     *
     * Queues the delivery again, whatever its outcome, with the same body and all its retries.
     *
     * Scope: `messages:send`.
     * @param string $id Webhook endpoint id.
     * @param string $did Delivery id.
     * @throws AcuseError
     */
    public function replayDelivery(string $id, string $did): Types\WebhookReplay
    {
        return $this->call('replayWebhookDelivery', path: ['id' => $id, 'did' => $did]);
    }

    /**
     * Count what a replay would deliver again.
     *
     * Failed deliveries made since the given time, and those that wait: what POST on this path would
     * queue if no more fail meanwhile.
     *
     * Scope: `messages:send` or `evidence:read`.
     * @param string $id Webhook endpoint id.
     * @param string|\DateTimeInterface|null $since Failed deliveries made at this moment or later (RFC
     *   3339). Omitted: all that are kept.
     * @throws AcuseError
     */
    public function countReplay(
        string $id,
        string|\DateTimeInterface|null $since = null,
    ): Types\WebhookReplayCount {
        return $this->call('countWebhookReplay', path: ['id' => $id], query: ['since' => $since]);
    }

    /**
     * Deliver all failed again.
     *
     * Queues every failed delivery made since the given time again; with `waiting` also those that
     * wait for their next attempt, as when the program is repaired.
     *
     * Scope: `messages:send`.
     * @param string $id Webhook endpoint id.
     * @throws AcuseError
     */
    public function replay(
        string $id,
        #[\SensitiveParameter] array|Types\WebhookReplayRequest $body,
    ): Types\WebhookReplay {
        return $this->call('replayWebhookDeliveries', path: ['id' => $id], body: $body);
    }
}
