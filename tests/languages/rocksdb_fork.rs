//! Program with the fork's crate `rust-rocksdb` and with `winnow-rust-rocksdb`, for
//! rust_rocksdb_test.sh: rocksdb_fork DATABASE KEYS makes a database with Winnow's filters, and
//! then opens it with a table factory that was set after the policy.

use rocksdb::{BlockBasedOptions, Options, DB};
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, path, keys] = &arguments[..] else {
        return Err("expected a database and a number".into());
    };
    let (path, keys): (_, u32) = (Path::new(path), keys.parse()?);
    let mut table = BlockBasedOptions::default();
    table.set_bloom_filter(10.0, false);
    table.set_format_version(5); // must be preserved
    let mut options = Options::default();
    options.create_if_missing(true);
    options.set_block_based_table_factory(&table);
    let mut options = winnow_rocksdb::with_policy(options, "winnow:10")?;

    let db = DB::open(&options, path)?;
    winnow_rocksdb::check(path)?;
    let mut missing = 0;
    for number in 0..keys {
        db.put(format!("key{number:010}"), b"value")?;
        if number % (keys / 4) == keys / 8 {
            db.flush()?;
        }
    }
    db.flush()?;
    for number in 0..keys {
        missing += u32::from(db.get(format!("key{number:010}"))?.is_none());
    }
    println!("missing {missing} of {keys}");
    drop(db);

    if let Err(refused) = winnow_rocksdb::with_policy(Options::default(), "winnow:99") {
        println!("refused: {refused}");
    }
    options.set_block_based_table_factory(&table);
    let _db = DB::open(&options, path)?;
    if let Err(told) = winnow_rocksdb::check(path) {
        println!("told: {told}");
    }
    Ok(())
}
