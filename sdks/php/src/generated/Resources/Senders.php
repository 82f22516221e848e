<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Resources;

use Acuse\Errors\AcuseError;
use Acuse\Internal\Resource;
use Acuse\Listing;
use Acuse\Types;

/** Operations of senders. */
final class Senders extends Resource
{
    /**
     * Approve a sender.
     *
     * Allows sending from the address once its domain is verified.
     *
     * Scope: `messages:send`.
     * @throws AcuseError
     */
    public function create(#[\SensitiveParameter] array|Types\NewSender $body): Types\Sender
    {
        return $this->call('createSender', body: $body);
    }

    /**
     * List senders.
     *
     * The addresses that may be in From, newest first.
     *
     * Scope: `messages:send` or `evidence:read`.
     * @param int|null $limit Number of entries to return.
     * @param string|null $after next_cursor of the previous page.
     * @param bool|null $active
     * @param string|null $domainId Senders of this domain.
     * @return Listing<Types\Sender, Types\SenderPage>
     * @throws AcuseError
     */
    public function list(
        ?int $limit = null,
        ?string $after = null,
        ?bool $active = null,
        ?string $domainId = null,
    ): Listing {
        return $this->listOf(
            'listSenders',
            query: [
                'limit' => $limit,
                'after' => $after,
                'active' => $active,
                'domain_id' => $domainId,
            ],
        );
    }

    /**
     * Read a sender.
     *
     * One sender by its id.
     *
     * Scope: `messages:send` or `evidence:read`.
     * @param string $id An id that is unknown or of another account answers 404.
     * @throws AcuseError
     */
    public function get(string $id): Types\Sender
    {
        return $this->call('getSender', path: ['id' => $id]);
    }

    /**
     * Enable or disable a sender.
     *
     * Applies from the next send on; messages accepted before are still delivered.
     *
     * Scope: `messages:send`.
     * @param string $id An id that is unknown or of another account answers 404.
     * @throws AcuseError
     */
    public function update(
        string $id,
        #[\SensitiveParameter] array|Types\SenderChange $body,
    ): Types\Sender {
        return $this->call('updateSender', path: ['id' => $id], body: $body);
    }

    /**
     * Delete a sender.
     *
     * Its address is no longer approved, unless a *@domain approves it.
     *
     * Scope: `messages:send`.
     * @param string $id An id that is unknown or of another account answers 404.
     * @throws AcuseError
     */
    public function delete(string $id): void
    {
        $this->call('deleteSender', path: ['id' => $id]);
    }
}
