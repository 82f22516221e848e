"""Run and killed by sdks/conformance/run/outbox.mjs: setup | add ADDRESS KEY… | send."""

import os
import sys

import psycopg

from acuse import Acuse, outbox

with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
    match sys.argv[1:]:
        case ["setup"]:
            connection.execute("create table invoices (number text primary key)")
            connection.execute(outbox.TABLE)
        case ["add", to, *keys]:
            for key in keys:
                insert = "insert into invoices (number) values (%s) on conflict do nothing"
                connection.execute(insert, (key,))
                outbox.add(
                    connection,
                    {
                        "from": "billing@sandbox.test",
                        "to": to,
                        "subject": f"Invoice {key}",
                        "text": "Hello.",
                    },
                    key,
                )
                connection.commit()
        case _:
            with Acuse() as acuse:
                print(acuse.send_outbox(connection))
