//! Winnow's filters for RocksDB, in programs that have RocksDB inside by the crate `rust-rocksdb`,
//! the fork of `rocksdb`. The source, and all but [`with_policy`], is that of the crate
//! `winnow-rocksdb`.
//!
//! RocksDB drops in silence what it does not know: without [`with_policy`] or [`register`] the
//! linker leaves Winnow out, and options that name `winnow` make databases without filters.
//! [`check`] tells.

#[path = "../../winnow-rocksdb/src/lib.rs"]
mod shared;

pub use shared::{check, register, table_options, Error};

use librocksdb_sys as ffi;
use rocksdb::{AsRawPtr, Options};
use std::ffi::{CStr, CString};
use std::ptr;

/// The options with a policy such as `winnow:10`; all others stay as they were. It is the same
/// object, so what it keeps alive, such as an `Env`, stays so. A later
/// `set_block_based_table_factory` takes the policy away again: call it before.
///
/// # Errors
///
/// Those of [`table_options`].
///
/// ```
/// let mut options = rocksdb::Options::default();
/// options.create_if_missing(true);
/// let options = winnow_rocksdb::with_policy(options, "winnow:10")?;
/// // let db = DB::open(&options, path)?;
/// # Ok::<(), winnow_rocksdb::Error>(())
/// ```
pub fn with_policy(options: Options, policy: &str) -> Result<Options, Error> {
    let text = format!("block_based_table_factory={}", table_options(policy)?);
    let text = CString::new(text).expect("table_options refuses a byte 0");
    let mut problem = ptr::null_mut();
    // SAFETY: the pointer is valid as long as `options`. RocksDB copies the first options into the
    // last before it changes these, and they may be one object.
    unsafe {
        let raw = options.as_raw_ptr();
        ffi::rocksdb_get_options_from_string(raw, text.as_ptr(), raw, &mut problem);
        if !problem.is_null() {
            let reason = CStr::from_ptr(problem).to_string_lossy().into_owned();
            ffi::rocksdb_free(problem.cast());
            return Err(Error(reason));
        }
    }
    Ok(options)
}
