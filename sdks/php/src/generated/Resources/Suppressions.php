<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Resources;

use Acuse\Errors\AcuseError;
use Acuse\Internal\Resource;
use Acuse\Listing;
use Acuse\Types;

/** Operations of suppressions. */
final class Suppressions extends Resource
{
    /**
     * Import addresses to suppress.
     *
     * Takes CSV with a header line: address (or email), and reason if you like; other columns are
     * ignored. A file without names has an address per line. Up to 10,000 addresses; each line is
     * added by itself, so that the same file can be sent again.
     *
     * Scope: `suppressions:write`.
     * @throws AcuseError
     */
    public function importCsv(#[\SensitiveParameter] string $body): Types\SuppressionImport
    {
        return $this->call('importSuppressions', body: $body);
    }

    /**
     * Export suppressed addresses as CSV.
     *
     * Every entry that matches the filters of the list, newest first, as UTF-8 with a header line; the
     * file can be imported again. A cell that a spreadsheet would take for a formula starts with an
     * apostrophe.
     *
     * Scope: `evidence:read`.
     * @param string|null $address Filter by this address, in any spelling.
     * @param string|null $source
     * @param string|\DateTimeInterface|null $createdAfter Entries made at this moment or later (RFC
     *   3339).
     * @param string|\DateTimeInterface|null $createdBefore Entries made before this moment (RFC 3339).
     * @throws AcuseError
     */
    public function exportCsv(
        ?string $address = null,
        ?string $source = null,
        string|\DateTimeInterface|null $createdAfter = null,
        string|\DateTimeInterface|null $createdBefore = null,
    ): string {
        return $this->call(
            'exportSuppressions',
            query: [
                'address' => $address,
                'source' => $source,
                'created_after' => $createdAfter,
                'created_before' => $createdBefore,
            ],
        );
    }

    /**
     * Suppress an address.
     *
     * Sends to it are refused from now on with recipient_suppressed. An address that is already on the
     * list answers 200 with its existing entry.
     *
     * Scope: `suppressions:write`.
     * @throws AcuseError
     */
    public function create(#[\SensitiveParameter] array|Types\NewSuppression $body): Types\Suppression
    {
        return $this->call('createSuppression', body: $body);
    }

    /**
     * List suppressed addresses.
     *
     * The account's own list, newest first. The operator's global list is not shown.
     *
     * Scope: `evidence:read`.
     * @param int|null $limit Number of entries to return.
     * @param string|null $after next_cursor of the previous page.
     * @param string|null $address Filter by this address, in any spelling.
     * @param string|null $source
     * @param string|\DateTimeInterface|null $createdAfter Entries made at this moment or later (RFC
     *   3339).
     * @param string|\DateTimeInterface|null $createdBefore Entries made before this moment (RFC 3339).
     * @return Listing<Types\Suppression, Types\SuppressionPage>
     * @throws AcuseError
     */
    public function list(
        ?int $limit = null,
        ?string $after = null,
        ?string $address = null,
        ?string $source = null,
        string|\DateTimeInterface|null $createdAfter = null,
        string|\DateTimeInterface|null $createdBefore = null,
    ): Listing {
        return $this->listOf(
            'listSuppressions',
            query: [
                'limit' => $limit,
                'after' => $after,
                'address' => $address,
                'source' => $source,
                'created_after' => $createdAfter,
                'created_before' => $createdBefore,
            ],
        );
    }

    /**
     * Allow an address again.
     *
     * Removes the entry from the list; the next send to the address is accepted.
     *
     * Scope: `suppressions:write`.
     * @param string $id An id that is unknown or of another account answers 404.
     * @throws AcuseError
     */
    public function delete(string $id): void
    {
        $this->call('deleteSuppression', path: ['id' => $id]);
    }
}
