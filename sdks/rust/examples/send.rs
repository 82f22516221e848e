//! Sends a message to the sandbox: `ACUSE_API_KEY=… cargo run --example send`.

use acuse::{Acuse, Key, Send};

fn main() -> Result<(), acuse::Error> {
    let acuse = Acuse::from_env()?; // ACUSE_API_KEY and ACUSE_URL
    let message =
        Send::new("billing@sandbox.test", "delivered@sandbox.test").subject("Invoice 1").text("Hello.");
    let sent = acuse.messages().send(&message, Key::given("invoice-1"))?; // or Key::Auto
    println!("{} {}", sent.message.id, sent.replayed);
    Ok(())
}
