#!/usr/bin/env python3
"""check.py for many bundles in one process. On standard input, a line of JSON for each:

    {"id": 1, "op": "verify_bundle", "args": {"path": "bundle.zip", "now": "2026-03-06T00:00:00.000Z"}}

On standard output its answer: {"id": 1, "result": {"valid": false, "said": "inclusion: another root"}}."""
import contextlib
import io
import json
import sys

import check
from check_der import NOW


def said(path, now):
    NOW[0] = 'bundle'
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            check.main(path, '--now', now)
    except SystemExit as end:
        return str(end.code)
    return 'valid'


def answer(op, args):
    if op == 'info':
        return {}
    text = said(args['path'], args['now'])
    return {'valid': text == 'valid', 'said': text}


if __name__ == '__main__':
    for line in sys.stdin:
        request = json.loads(line)
        result = answer(request['op'], request.get('args', {}))
        print(json.dumps({'id': request['id'], 'result': result}), flush=True)
