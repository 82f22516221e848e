use acuse::verify::{self, Options};
use acuse::webhook::{self, Tolerance};
use std::fs;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let lines = fs::read_to_string("headers.txt")?;
    let headers: Vec<(String, String)> = lines
        .lines()
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .collect();
    let secret = fs::read_to_string("secret.txt")?;
    let event = webhook::verify(&fs::read("body.json")?, &headers, &[&secret], Tolerance::DEFAULT)?;
    let report = verify::bundle(&fs::read("proof.zip")?, verify::TRUST_BUNDLE, Options::default())?;
    println!("{} {}", format!("{:?}", report.verdict).to_lowercase(), event.kind);
    Ok(())
}
