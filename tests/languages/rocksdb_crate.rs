//! Program with the crates `rocksdb` and `winnow-rocksdb`, for rust_rocksdb_test.sh:
//!   rocksdb_crate write|forget|read DATABASE KEYS
//! "write" makes a database with Winnow's filters, "forget" does so without registering Winnow,
//! "read" reopens it and looks up present and absent keys.

use rocksdb::statistics::Ticker;
use rocksdb::{BlockBasedOptions, Cache, Env, Options, DB};
use std::error::Error;
use std::path::Path;

fn key(number: u32) -> String {
    format!("key{number:010}")
}

fn count_missing(db: &DB, keys: u32) -> Result<u32, rocksdb::Error> {
    let mut missing = 0;
    for number in 0..keys {
        missing += u32::from(db.get(key(number))?.is_none());
    }
    Ok(missing)
}

fn write(path: &Path, keys: u32, table: &str) -> Result<(), Box<dyn Error>> {
    let mut other = BlockBasedOptions::default();
    other.set_format_version(5); // must be preserved
    let mut options = Options::default();
    options.create_if_missing(true);
    options.set_block_based_table_factory(&other);
    let db = DB::open(&options, path)?;
    db.set_options(&[("block_based_table_factory", table)])?;
    winnow_rocksdb::check(path)?;
    for number in 0..keys {
        db.put(key(number), b"value")?;
        if number % (keys / 4) == keys / 8 {
            db.flush()?;
        }
    }
    db.flush()?;
    println!("missing {} of {keys}", count_missing(&db, keys)?);
    Ok(())
}

fn read(path: &Path, keys: u32) -> Result<(), Box<dyn Error>> {
    let (mut options, families) =
        Options::load_latest(path, Env::new()?, false, Cache::new_lru_cache(8 << 20))?;
    options.enable_statistics();
    let db = DB::open_cf_descriptors(&options, path, families)?;
    winnow_rocksdb::check(path)?;
    println!("missing {} of {keys}", count_missing(&db, keys)?);
    let before = options.get_ticker_count(Ticker::BloomFilterUseful);
    for number in 0..keys {
        assert!(db.get(key(number) + "x")?.is_none());
    }
    let useful = options.get_ticker_count(Ticker::BloomFilterUseful) - before;
    println!(
        "filters spare {} % of the lookups of absent keys",
        useful * 100 / u64::from(keys)
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, action, path, keys] = &arguments[..] else {
        return Err("expected an action, a database, and a number".into());
    };
    let (path, keys) = (Path::new(path), keys.parse()?);
    match action.as_str() {
        "write" => write(path, keys, &winnow_rocksdb::table_options("winnow:10")?),
        "forget" => write(path, keys, "{filter_policy={winnow:10}}"),
        "read" => {
            winnow_rocksdb::register()?;
            read(path, keys)
        }
        _ => Err(format!("expected write, forget or read, found {action}").into()),
    }
}
