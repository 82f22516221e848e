<?php

declare(strict_types=1);

use Acuse\Internal\Evidence\Container;
use PHPUnit\Framework\TestCase;

/** The README shows examples that run; those that need a service run in `run package`. */
final class ExamplesTest extends TestCase
{
    private const BUNDLES = __DIR__ . '/../../../contract/vectors/bundles';

    public function testTheReadmeShowsTheExampleThatIsRun(): void
    {
        $example = file_get_contents(__DIR__ . '/../examples/send.php');
        $shown = substr($example, strpos($example, '$acuse ='));
        self::assertStringContainsString($shown . '```', file_get_contents(__DIR__ . '/../README.md'));
    }

    public function testVerifiesAGoodBundleAndABrokenOne(): void
    {
        $policy = tempnam(sys_get_temp_dir(), 'policy');
        try {
            $files = Container::read(file_get_contents(self::BUNDLES . '/good/sealed.zip'));
            file_put_contents($policy, $files['policy.json']);
            [$code, $told] = self::verified('good/sealed.zip', $policy);
            self::assertSame([0, 'unproven'], [$code, end($told)]);
            self::assertCount(1, preg_grep('/\Adevelopment: /', $told));
            [$code, $told] = self::verified('broken/proof-bit.zip', $policy);
            self::assertSame([1, 'rejected'], [$code, end($told)]);
            self::assertCount(1, preg_grep('/\AFAILED   inclusion: /', $told));
        } finally {
            unlink($policy);
        }
    }

    public function testSaysHowTheVerifierIsCalled(): void
    {
        $words = [PHP_BINARY, __DIR__ . '/../examples/verify.php'];
        exec(implode(' ', array_map(escapeshellarg(...), $words)) . ' 2>&1', $told, $code);
        self::assertSame([2, ['usage: php verify.php proof.zip policy.json']], [$code, $told]);
    }

    /** @return array{int, list<string>} exit code and lines */
    private static function verified(string $bundle, string $policy): array
    {
        $words = [PHP_BINARY, __DIR__ . '/../examples/verify.php', self::BUNDLES . "/$bundle", $policy];
        exec(implode(' ', array_map(escapeshellarg(...), $words)), $lines, $code);
        return [$code, $lines];
    }
}
