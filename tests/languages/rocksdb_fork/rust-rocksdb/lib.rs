//! Stand-in for the crate `rust-rocksdb`: the part of its interface that rocksdb_fork.rs and
//! winnow-rust-rocksdb use.

use rust_librocksdb_sys as ffi;
use std::ffi::{c_char, CStr, CString};
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

#[derive(Debug)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

fn checked<T>(call: impl FnOnce(*mut *mut c_char) -> T) -> Result<T, Error> {
    let mut error = ptr::null_mut();
    let result = call(&mut error);
    if error.is_null() {
        return Ok(result);
    }
    let text = unsafe { CStr::from_ptr(error) }
        .to_string_lossy()
        .into_owned();
    unsafe { ffi::rocksdb_free(error.cast()) };
    Err(Error(text))
}

pub trait AsRawPtr<T> {
    /// # Safety
    ///
    /// The pointer is valid as long as the object.
    unsafe fn as_raw_ptr(&self) -> *mut T;
}

pub struct Options {
    inner: *mut ffi::rocksdb_options_t,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            inner: unsafe { ffi::rocksdb_options_create() },
        }
    }
}

impl Drop for Options {
    fn drop(&mut self) {
        unsafe { ffi::rocksdb_options_destroy(self.inner) }
    }
}

#[cfg(feature = "raw-ptr")]
impl AsRawPtr<ffi::rocksdb_options_t> for Options {
    unsafe fn as_raw_ptr(&self) -> *mut ffi::rocksdb_options_t {
        self.inner
    }
}

impl Options {
    pub fn create_if_missing(&mut self, value: bool) {
        unsafe { ffi::rocksdb_options_set_create_if_missing(self.inner, value.into()) }
    }

    pub fn set_block_based_table_factory(&mut self, table: &BlockBasedOptions) {
        unsafe { ffi::rocksdb_options_set_block_based_table_factory(self.inner, table.inner) }
    }
}

pub struct BlockBasedOptions {
    inner: *mut ffi::rocksdb_block_based_table_options_t,
}

impl Default for BlockBasedOptions {
    fn default() -> Self {
        BlockBasedOptions {
            inner: unsafe { ffi::rocksdb_block_based_options_create() },
        }
    }
}

impl Drop for BlockBasedOptions {
    fn drop(&mut self) {
        unsafe { ffi::rocksdb_block_based_options_destroy(self.inner) }
    }
}

impl BlockBasedOptions {
    pub fn set_bloom_filter(&mut self, bits: f64, _block_based: bool) {
        unsafe {
            let policy = ffi::rocksdb_filterpolicy_create_bloom_full(bits);
            ffi::rocksdb_block_based_options_set_filter_policy(self.inner, policy);
        }
    }

    pub fn set_format_version(&mut self, version: i32) {
        unsafe { ffi::rocksdb_block_based_options_set_format_version(self.inner, version) }
    }
}

pub struct DB {
    inner: *mut ffi::rocksdb_t,
}

impl Drop for DB {
    fn drop(&mut self) {
        unsafe { ffi::rocksdb_close(self.inner) }
    }
}

impl DB {
    pub fn open(options: &Options, path: impl AsRef<Path>) -> Result<DB, Error> {
        let path = CString::new(path.as_ref().as_os_str().as_bytes())
            .map_err(|error| Error(error.to_string()))?;
        let inner =
            checked(|error| unsafe { ffi::rocksdb_open(options.inner, path.as_ptr(), error) })?;
        Ok(DB { inner })
    }

    pub fn put(&self, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Result<(), Error> {
        let (key, value) = (key.as_ref(), value.as_ref());
        unsafe {
            let options = ffi::rocksdb_writeoptions_create();
            let (key_bytes, value_bytes) = (key.as_ptr().cast(), value.as_ptr().cast());
            let result = checked(|error| {
                ffi::rocksdb_put(
                    self.inner,
                    options,
                    key_bytes,
                    key.len(),
                    value_bytes,
                    value.len(),
                    error,
                )
            });
            ffi::rocksdb_writeoptions_destroy(options);
            result
        }
    }

    pub fn get(&self, key: impl AsRef<[u8]>) -> Result<Option<Vec<u8>>, Error> {
        let key = key.as_ref();
        let mut size = 0;
        unsafe {
            let options = ffi::rocksdb_readoptions_create();
            let value = checked(|error| {
                ffi::rocksdb_get(
                    self.inner,
                    options,
                    key.as_ptr().cast(),
                    key.len(),
                    &mut size,
                    error,
                )
            });
            ffi::rocksdb_readoptions_destroy(options);
            let value = value?;
            if value.is_null() {
                return Ok(None);
            }
            let bytes = std::slice::from_raw_parts(value.cast::<u8>(), size).to_vec();
            ffi::rocksdb_free(value.cast());
            Ok(Some(bytes))
        }
    }

    pub fn flush(&self) -> Result<(), Error> {
        unsafe {
            let options = ffi::rocksdb_flushoptions_create();
            let result = checked(|error| ffi::rocksdb_flush(self.inner, options, error));
            ffi::rocksdb_flushoptions_destroy(options);
            result
        }
    }
}
