//! Winnow's filters for RocksDB, in programs with the crate `rust-rocksdb`, a fork of `rocksdb`.
//! Shares its source with the crate `winnow-rocksdb`, except for [`with_policy`].
//!
//! Call [`with_policy`] or [`register`] before options that name `winnow` are read. Without the
//! call, the linker drops Winnow, and RocksDB, which silently ignores unknown policies, builds no
//! filters. [`check`] detects that.

#[path = "../../winnow-rocksdb/src/lib.rs"]
mod shared;

pub use shared::{check, register, table_options, Error};

use librocksdb_sys as ffi;
use rocksdb::{AsRawPtr, Options};
use std::ffi::{CStr, CString};
use std::ptr;

/// Sets a policy such as `winnow:10` and returns `options`; other options are unchanged. The object
/// keeps its references, such as an `Env`. A later call of `set_block_based_table_factory` would
/// remove the policy.
///
/// # Errors
///
/// Fails if [`table_options`] fails, or if RocksDB rejects the options.
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
    // SAFETY: the pointer is valid as long as `options`. RocksDB copies the first argument to the
    // third before it changes options, so both may be one object.
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
