<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Resources;

use Acuse\Errors\AcuseError;
use Acuse\Internal\Resource;
use Acuse\Listing;
use Acuse\Types;

/** Operations of events. */
final class Events extends Resource
{
    /**
     * List the account's events.
     *
     * Events of all messages of the account, newest first, in the form in which webhooks carry it, and
     * for as long as the messages are kept. To follow it, ask with order=asc and a created_after some
     * 30 seconds back, and leave out each data.event_id that you have seen: events that happen at the
     * same time are not committed in the order of their times. A page with a filter reads up to 10,000
     * events, so that it may be short or empty before the last page: continue while next_cursor is not
     * null. acuse webhooks listen does all of this.
     *
     * Scope: `evidence:read`.
     * @param int|null $limit Number of entries to return.
     * @param string|null $after next_cursor of the previous page.
     * @param string|null $order
     * @param list<string>|string|null $type Events of these types: repeat it, or separate them by
     *   commas.
     * @param string|null $messageId Events of this message.
     * @param string|\DateTimeInterface|null $createdAfter Entries made at this moment or later (RFC
     *   3339).
     * @param string|\DateTimeInterface|null $createdBefore Entries made before this moment (RFC 3339).
     * @return Listing<Types\AccountEvent, Types\AccountEventPage>
     * @throws AcuseError
     */
    public function list(
        ?int $limit = null,
        ?string $after = null,
        ?string $order = null,
        array|string|null $type = null,
        ?string $messageId = null,
        string|\DateTimeInterface|null $createdAfter = null,
        string|\DateTimeInterface|null $createdBefore = null,
    ): Listing {
        return $this->listOf(
            'listEvents',
            query: [
                'limit' => $limit,
                'after' => $after,
                'order' => $order,
                'type' => $type,
                'message_id' => $messageId,
                'created_after' => $createdAfter,
                'created_before' => $createdBefore,
            ],
        );
    }
}
