<?php

declare(strict_types=1);

namespace Acuse;

use Acuse\Errors\AcuseError;
use Acuse\Errors\ProtocolError;

/**
 * A list of the service, read page by page as far as it is looked at. Each run through it asks anew.
 * @template T of Model
 * @template P of Model
 * @implements \IteratorAggregate<int, T>
 */
final class Listing implements \IteratorAggregate
{
    /**
     * @param \Closure(array): P $fetch
     * @internal
     */
    public function __construct(private readonly array $query, private readonly \Closure $fetch)
    {
    }

    /**
     * @return \Generator<int, T>
     * @throws AcuseError
     */
    public function getIterator(): \Generator
    {
        foreach ($this->pages() as $page) {
            foreach ($page->data as $item) {
                yield $item;
            }
        }
    }

    /**
     * Pages as they came: `limit` is their size.
     * @return \Generator<int, P>
     * @throws AcuseError a ProtocolError for a cursor that was there before
     */
    public function pages(): \Generator
    {
        $query = $this->query;
        $seen = [];
        while (true) {
            $page = ($this->fetch)($query);
            yield $page;
            $cursor = $page->next_cursor;
            if ($cursor === null) {
                return;
            }
            if (isset($seen[$cursor])) {
                throw new ProtocolError('The list gave a cursor that it had given before.');
            }
            $seen[$cursor] = true;
            $query['after'] = $cursor;
        }
    }

    /**
     * The first page alone.
     * @return P
     */
    public function firstPage(): Model
    {
        return ($this->fetch)($this->query);
    }

    public function __debugInfo(): array
    {
        return [];
    }
}
