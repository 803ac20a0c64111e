//! A program with the crate `rocksdb` alone: without_winnow DATABASE KEYS prints how many keys of
//! rocksdb_crate.rs are missing.

use rocksdb::{Options, DB};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, path, keys] = &arguments[..] else {
        return Err("expected a database and a number".into());
    };
    let db = DB::open(&Options::default(), path)?;
    let mut missing = 0;
    for number in 0..keys.parse::<u32>()? {
        missing += u32::from(db.get(format!("key{number:010}"))?.is_none());
    }
    println!("missing {missing} of {keys}");
    Ok(())
}
