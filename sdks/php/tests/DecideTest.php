<?php

declare(strict_types=1);

use Acuse\Internal\Budget;
use Acuse\Internal\Decide;
use Acuse\Internal\Outcome;
use Acuse\Internal\Situation;
use PHPUnit\Framework\TestCase;

/** contract/vectors/client-decisions.json */
final class DecideTest extends TestCase
{
    private static function outcome(array $given): Outcome
    {
        return new Outcome($given['kind'], $given['status'] ?? null, $given['code'] ?? null);
    }

    public function testDecisions(): void
    {
        foreach (vectors('client-decisions.json')['decisions'] as $vector) {
            $given = $vector['in'];
            $found = Decide::decide($given['class'], self::outcome($given['outcome']), new Situation(
                $given['attempt'],
                $given['max_retries'],
                $given['headers'],
                (float) $given['u'],
                $given['budget'],
                (float) $given['time_left'],
                $given['now'],
            ));
            self::assertSame($vector['out'], get_object_vars($found), $vector['name']);
        }
    }

    public function testRetryAfter(): void
    {
        foreach (vectors('client-decisions.json')['retry_after'] as $vector) {
            $found = Decide::retryAfterMs(['Retry-After' => $vector['value']], $vector['now']);
            self::assertSame($vector['ms'], $found, $vector['value']);
        }
    }

    public function testDelays(): void
    {
        foreach (vectors('client-decisions.json')['delays'] as $vector) {
            self::assertSame($vector['delay'], Decide::delayMs($vector['retry'], (float) $vector['u'], null));
        }
    }

    public function testDeletions(): void
    {
        foreach (vectors('client-decisions.json')['deletions'] as $vector) {
            $ended = Decide::deleted(array_map(self::outcome(...), $vector['outcomes']));
            self::assertSame($vector['ended'] === 'deleted', $ended, $vector['name']);
        }
    }

    public function testBudgets(): void
    {
        foreach (vectors('client-decisions.json')['budgets'] as $vector) {
            $budget = new Budget();
            $budget->tokens = $vector['start'];
            $spent = 0;
            foreach ($vector['events'] as $event) {
                if (str_starts_with($event['event'], 'ok')) {
                    $budget->succeed($event['event'] === 'ok' ? 0 : $spent);
                    $spent = 0;
                } else {
                    $kind = $event['event'] === 'timeout' ? Outcome::TIMEOUT : Outcome::LOST_ANSWER;
                    $cost = Decide::costOf(new Outcome($kind));
                    self::assertSame($event['paid'], $budget->take($cost), $vector['name']);
                    $spent += $event['paid'] ? $cost : 0;
                }
                self::assertSame($event['budget'], $budget->tokens, $vector['name']);
            }
        }
    }
}
