<?php

// php verify.php proof.zip policy.json

require is_file('vendor/autoload.php') ? 'vendor/autoload.php' : __DIR__ . '/../autoload.php';

use Acuse\Policy;
use Acuse\Verifier;

if ($argc !== 3) {
    fwrite(STDERR, 'usage: php verify.php proof.zip policy.json' . PHP_EOL);
    exit(2);
}
$report = Verifier::verify($argv[1], Policy::load($argv[2]));
foreach ($report->checks as $check) {
    echo match ($check->ok) {
        true => 'holds   ',
        false => 'FAILED  ',
        null => 'left out',
    }, ' ', $check->name, ': ', $check->detail, PHP_EOL;
}
foreach ([...$report->reasons, ...$report->warnings] as $remark) {
    echo $remark->name, ': ', $remark->detail, PHP_EOL;
}
echo $report->verdict, PHP_EOL;
exit($report->verdict === 'rejected' ? 1 : 0);
