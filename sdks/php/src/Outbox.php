<?php

declare(strict_types=1);

namespace Acuse;

use Acuse\Errors\AcuseError;
use Acuse\Errors\ApiError;
use Acuse\Errors\ConfigurationError;
use Acuse\Internal\Call;
use Acuse\Internal\Core;
use Acuse\Internal\OutboxSql;
use Acuse\Internal\Request;
use Acuse\Internal\Resource;
use Acuse\Types\Send;

/**
 * The outbox: messages that are written in the caller's own transaction and sent afterwards, each once. The
 * database is PostgreSQL, and its connections throw what goes wrong (PDO's default).
 */
final class Outbox extends Resource
{
    /** The table that a migration of yours creates, once: the table that libraries in all languages share. */
    public const TABLE = OutboxSql::TABLE;
    /** Characters of an error that the table keeps. */
    private const ERROR_MAX_CHARS = 1_000;

    /**
     * Writes a message and its key into the outbox, in the transaction that the connection is in: if that is rolled
     * back, nothing is sent. Client::sendOutbox sends it.
     * @param array<string, mixed>|Send $message from, to, subject, text, html, …
     * @return bool false: the key is in the outbox already, and nothing was written
     * @throws ConfigurationError
     * @throws \PDOException
     */
    public static function add(
        \PDO $connection,
        #[\SensitiveParameter] array|Send $message,
        string $idempotencyKey,
    ): bool {
        $statement = $connection->prepare(OutboxSql::ADD);
        $statement->execute([self::checkedKey($idempotencyKey), self::bytes('sendMessage', $message)]);
        return $statement->rowCount() === 1;
    }

    /** @internal what Client::sendOutbox does */
    public static function sendDue(Core $core, \PDO $connection, int $limit): int
    {
        if ($connection->inTransaction()) {
            throw new ConfigurationError('The outbox is sent over a connection that is not in a transaction.');
        }
        for ($ended = 0; $ended < $limit; $ended++) {
            $row = $connection->query(OutboxSql::CLAIM)->fetch(\PDO::FETCH_NUM);
            if ($row === false) {
                return $ended;
            }
            [$id, $key, $message, $attempts] = $row;
            $came = self::attempt($core, $key, $message);
            $connection->prepare(OutboxSql::RECORD)->execute([...$came, $id, $attempts]);
            // A cause such as a service that is down would make the next wait too.
            if ($came[0] === 'waiting') {
                return $ended;
            }
        }
        return $limit;
    }

    /**
     * The bytes are those of the row: whoever sends it again, in whatever language, sends the same.
     * @return array{string, string|null, string|null, float} state, message id, error, seconds to wait
     */
    private static function attempt(Core $core, string $key, #[\SensitiveParameter] string $message): array
    {
        $request = new Request('sendMessage', [], [], $message, ['idempotency-key' => $key]);
        try {
            return ['sent', (new Call($core, $request))->run()->value->id, null, 0];
        } catch (ApiError $e) {
            if ($e->errorCode === OutboxSql::ACCEPTED) {
                return ['sent', null, null, 0];
            }
            $refused = in_array($e->status, OutboxSql::REFUSED, true) && !str_starts_with($e->errorCode, 'http_');
            $state = $refused ? 'refused' : 'waiting';
            return [$state, null, self::short("{$e->errorCode}: {$e->getMessage()}"), $e->retryAfter ?? 0];
        } catch (AcuseError $e) {
            return ['waiting', null, self::short($e->getMessage()), 0];
        }
    }

    private static function short(string $text): string
    {
        return preg_match('/\A.{0,' . self::ERROR_MAX_CHARS . '}/su', $text, $found) === 1 ? $found[0] : '';
    }
}
