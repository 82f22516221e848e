//! Takes the example of the outbox out of README.md, to be compiled with a driver.

use std::{env, fs, path::Path};

fn main() {
    let readme = "../../README.md";
    println!("cargo::rerun-if-changed={readme}");
    let text = fs::read_to_string(readme).expect("README.md");
    let block = text.split("```rust,ignore\n").nth(1).and_then(|rest| rest.split("```").next());
    let code = block.expect("README.md has an example of the outbox");
    let file = Path::new(&env::var("OUT_DIR").expect("OUT_DIR")).join("readme.rs");
    fs::write(file, format!("{{\n{code}}}\n")).expect("OUT_DIR");
}
