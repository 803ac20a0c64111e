//! Program with only the crate `rocksdb`:
//!   without_winnow read|write DATABASE KEYS
//! "read" prints how many keys of rocksdb_crate.rs are missing; "write" first makes a database of
//! them with a Bloom policy, as most programs do.

use rocksdb::{BlockBasedOptions, Options, DB};

fn key(number: u32) -> String {
    format!("key{number:010}")
}

fn write(path: &str, keys: u32) -> Result<DB, rocksdb::Error> {
    let mut table = BlockBasedOptions::default();
    table.set_bloom_filter(10.0, false);
    table.set_format_version(5); // must be preserved
    let mut options = Options::default();
    options.create_if_missing(true);
    options.set_block_based_table_factory(&table);
    let db = DB::open(&options, path)?;
    for number in 0..keys {
        db.put(key(number), b"value")?;
    }
    db.flush()?;
    Ok(db)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, action, path, keys] = &arguments[..] else {
        return Err("expected an action, a database and a number".into());
    };
    let keys = keys.parse()?;
    let db = match action.as_str() {
        "write" => write(path, keys)?,
        "read" => DB::open(&Options::default(), path)?,
        _ => return Err(format!("expected write or read, found {action}").into()),
    };
    let mut missing = 0;
    for number in 0..keys {
        missing += u32::from(db.get(key(number))?.is_none());
    }
    println!("missing {missing} of {keys}");
    Ok(())
}
