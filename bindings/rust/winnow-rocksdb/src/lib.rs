//! Winnow's filters for RocksDB, in programs that link RocksDB statically.
//!
//! Call [`register`] once, before options that name `winnow` are read. Without the call, the linker
//! drops Winnow, and RocksDB, which silently ignores unknown policies, builds no filters. [`check`]
//! detects that.

use librocksdb_sys as _; // links RocksDB after Winnow

use std::ffi::{c_char, CStr, CString};
use std::fmt;
use std::fs;
use std::path::Path;
use std::ptr;

extern "C" {
    fn winnow_rust_check(policy: *const c_char, reason: *mut c_char, size: usize);
}

/// Error message: a sentence for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(pub(crate) String);

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// Registers the policy in RocksDB, so that options strings and OPTIONS files can name `winnow`.
/// Idempotent and thread-safe.
///
/// # Errors
///
/// Fails if the linked RocksDB is not the one with whose headers Winnow was compiled.
///
/// ```
/// winnow_rocksdb::register()?;
/// # Ok::<(), winnow_rocksdb::Error>(())
/// ```
pub fn register() -> Result<(), Error> {
    ask(None)
}

/// Returns the value of RocksDB's option `block_based_table_factory` for a policy such as
/// `winnow:10` or `{id=winnow;bits_per_key=10;range_bits=15}`. Registers the policy, too.
///
/// # Errors
///
/// Fails if RocksDB would not build Winnow's filters with this text, or if [`register`] fails.
///
/// ```
/// let table = winnow_rocksdb::table_options("winnow:10")?;
/// assert_eq!(table, "{filter_policy={winnow:10}}");
///
/// let problem = winnow_rocksdb::table_options("winnow:99").unwrap_err();
/// assert!(problem.to_string().contains("bits_per_key"));
/// # Ok::<(), winnow_rocksdb::Error>(())
/// ```
pub fn table_options(policy: &str) -> Result<String, Error> {
    let text = CString::new(policy).map_err(|_| Error(format!("{policy:?} has a byte 0")))?;
    ask(Some(&text))?;
    let inner = policy
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'))
        .unwrap_or(policy);
    Ok(format!("{{filter_policy={{{inner}}}}}"))
}

/// Checks that all column families of a database build Winnow's filters, according to the latest
/// OPTIONS file, which RocksDB writes when it opens the database or changes options. Intended for
/// debug builds: detects that [`register`] was not called, that the policy's name is misspelt, or
/// that a later `set_block_based_table_factory` removed the policy.
///
/// # Errors
///
/// Fails if column families build other or no filters, which the message names, or if there is no
/// OPTIONS file.
///
/// ```
/// # let database = std::env::temp_dir();
/// // let db = DB::open(&options, &database)?;
/// debug_assert!(winnow_rocksdb::check(&database).is_err()); // fails, as there is no database
/// ```
pub fn check(database: &Path) -> Result<(), Error> {
    let problem = |what: String| Error(format!("the database {}: {what}", database.display()));
    let names = fs::read_dir(database).map_err(|error| problem(error.to_string()))?;
    let files = names.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let number = |name: &String| name.strip_prefix("OPTIONS-")?.parse::<u64>().ok();
    let newest = files
        .max_by_key(number)
        .filter(|name| number(name).is_some());
    let newest = newest.ok_or_else(|| problem("it has no OPTIONS file".to_string()))?;
    let text =
        fs::read_to_string(database.join(newest)).map_err(|error| problem(error.to_string()))?;
    let without = families_without(&text);
    if without.is_empty() {
        return Ok(());
    }
    Err(problem(format!(
        "no filters of Winnow's are built in {}: call winnow_rocksdb::register() before options \
         that name winnow are read, and set no other table factory after them",
        without.join(", ")
    )))
}

/// Returns the column families of an OPTIONS file whose policy is not Winnow's.
fn families_without(text: &str) -> Vec<String> {
    let mut without = vec![];
    for line in text.lines().map(str::trim) {
        if let Some(family) = line
            .strip_prefix("[CFOptions ")
            .and_then(|rest| rest.strip_suffix(']'))
        {
            without.push(family.to_string());
        } else if line.starts_with("filter_policy=") && line.contains("winnow") {
            without.pop();
        }
    }
    without
}

/// Registers the policy and checks `policy`, if given.
fn ask(policy: Option<&CStr>) -> Result<(), Error> {
    let mut reason = [0u8; 1000];
    let policy = policy.map_or(ptr::null(), CStr::as_ptr);
    // SAFETY: the function writes at most `size` bytes with a final zero, and keeps no pointer.
    unsafe { winnow_rust_check(policy, reason.as_mut_ptr().cast(), reason.len()) };
    let reason = CStr::from_bytes_until_nul(&reason)
        .unwrap_or_default()
        .to_string_lossy();
    if reason.is_empty() {
        Ok(())
    } else {
        Err(Error(reason.into_owned()))
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn families_whose_policy_is_another_or_none_are_named() {
        let text = "\
[CFOptions \"a\"]
  prefix_extractor=winnow.range
[TableOptions/BlockBasedTable \"a\"]
  filter_policy=bloomfilter:10
[CFOptions \"b\"]
[TableOptions/BlockBasedTable \"b\"]
  filter_policy={id=winnow.Filter;bits_per_key=10;}
[CFOptions \"c\"]";
        assert_eq!(super::families_without(text), ["\"a\"", "\"c\""]);
    }
}
