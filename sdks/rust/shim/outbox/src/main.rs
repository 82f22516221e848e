//! Run and killed by sdks/conformance/run/outbox.mjs: setup | add ADDRESS KEY… | send.

use acuse::{outbox, Acuse, Send};
use postgres::{Client, NoTls};

type Any = Box<dyn std::error::Error>;

fn main() -> Result<(), Any> {
    let mut database = Client::connect(&std::env::var("DATABASE_URL")?, NoTls)?;
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args[0].as_str() {
        "setup" => {
            database.batch_execute("create table invoices (number text primary key)")?;
            database.batch_execute(outbox::TABLE)?;
        }
        "add" => {
            for key in &args[2..] {
                let message = Send::new("billing@sandbox.test", args[1].as_str())
                    .subject(format!("Invoice {key}"))
                    .text("Hello.");
                let mut transaction = database.transaction()?;
                transaction.execute("insert into invoices (number) values ($1) on conflict do nothing", &[key])?;
                let (key, json) = outbox::values(&message, key)?;
                transaction.execute(outbox::ADD, &[&key, &json])?;
                transaction.commit()?;
            }
        }
        _ => println!("{}", send(&mut database, &Acuse::from_env()?, 100)?),
    }
    Ok(())
}

/// The example of README.md, which build.rs takes out of it: it compiles.
#[allow(dead_code)]
fn readme(database: &mut Client, acuse: &Acuse, message: &Send, number: &str) -> Result<(), Any> {
    include!(concat!(env!("OUT_DIR"), "/readme.rs"));
    Ok(())
}

fn send(database: &mut Client, acuse: &Acuse, limit: usize) -> Result<usize, Any> {
    for ended in 0..limit {
        let Some(row) = database.query_opt(outbox::CLAIM, &[])? else { return Ok(ended) };
        let row = outbox::Claimed {
            id: row.get("id"),
            idempotency_key: row.get("idempotency_key"),
            message: row.get("message"),
            attempts: row.get("attempts"),
        };
        let came = acuse.send_claimed(&row);
        database.execute(
            outbox::RECORD,
            &[&came.state, &came.message_id, &came.error, &came.seconds, &row.id, &row.attempts],
        )?;
        if came.state == "waiting" {
            return Ok(ended);
        }
    }
    Ok(limit)
}
