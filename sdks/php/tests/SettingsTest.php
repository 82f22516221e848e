<?php

declare(strict_types=1);

use Acuse\Client;
use Acuse\Errors\ConfigurationError;
use Acuse\Internal\Options;
use PHPUnit\Framework\TestCase;

/** contract/vectors/client-settings.json: to which address, and through which proxy. */
final class SettingsTest extends TestCase
{
    private const FILE = __DIR__ . '/../../../contract/vectors/client-settings.json';

    public function testTheAddressIsTheOneThatWasNamed(): void
    {
        $before = [getenv('ACUSE_URL'), getenv('ACUSE_BASE_URL')];
        foreach (self::vectors()['addresses'] as ['given' => $given, 'env' => $env, 'out' => $out]) {
            self::set([$env['ACUSE_URL'] ?? false, $env['ACUSE_BASE_URL'] ?? false]);
            try {
                $found = (new Options(['apiKey' => 'acuse_a_b'] + ($given === null ? [] : ['baseUrl' => $given])))->url;
            } catch (ConfigurationError $error) {
                $found = null;
                self::assertStringContainsString('ACUSE_URL', $error->getMessage());
            }
            self::assertSame($out, $found, (string) json_encode($env));
        }
        self::set($before);
    }

    public function testAnAddressThatIsNoneSaysWhereItIsSet(): void
    {
        foreach (['mail.example.com', 'u:secret@x', 'https://u:secret@x', 'https://u:secret/@x:y'] as $address) {
            try {
                new Options(['apiKey' => 'acuse_a_b', 'baseUrl' => $address]);
                self::fail($address);
            } catch (ConfigurationError $error) {
                self::assertStringContainsString('baseUrl, or ACUSE_URL', $error->getMessage());
                self::assertStringNotContainsString('secret', (string) $error);
            }
        }
    }

    public function testAnOptionThatIsNoneIsToldWithThoseThatThereAre(): void
    {
        $this->expectException(ConfigurationError::class);
        $this->expectExceptionMessageMatches('/: url\. There are: apiKey, baseUrl, maxRetries,.* deadline,/');
        new Client('acuse_a_b', url: 'https://mail.example.com');
    }

    public function testTheProxyIsOneOfHttps(): void
    {
        foreach (self::vectors()['proxies'] as ['address' => $address, 'env' => $env, 'out' => $out]) {
            try {
                $found = Options::environmentProxy($address, static fn (string $name): string => $env[$name] ?? '');
            } catch (ConfigurationError) {
                $found = 'refused';
            }
            self::assertSame($out, $found, (string) json_encode([$address, $env]));
        }
    }

    public function testAProxySeesNoKeyInPlainHttp(): void
    {
        $plain = ['http://localhost:8025', 'proxy' => 'http://proxy.example.com:3128'];
        new Client('acuse_a_b', ...$plain, allowInsecure: true);
        $this->expectException(ConfigurationError::class);
        new Client('acuse_a_b', ...$plain);
    }

    private static function vectors(): array
    {
        return json_decode((string) file_get_contents(self::FILE), true);
    }

    private static function set(array $values): void
    {
        foreach (['ACUSE_URL', 'ACUSE_BASE_URL'] as $at => $name) {
            putenv($values[$at] === false ? $name : "$name=$values[$at]");
        }
    }
}
