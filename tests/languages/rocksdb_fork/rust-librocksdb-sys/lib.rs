//! In the place of the crate `rust-librocksdb-sys`, with the functions of RocksDB's C API that are
//! called here, as bindgen writes them.

#![allow(non_camel_case_types)]

use std::ffi::{c_char, c_double, c_int, c_uchar, c_void};

macro_rules! opaque {
    ($($name:ident)*) => { $(#[repr(C)] pub struct $name { _unused: [u8; 0] })* };
}
opaque!(rocksdb_t rocksdb_options_t rocksdb_readoptions_t rocksdb_writeoptions_t rocksdb_flushoptions_t
        rocksdb_block_based_table_options_t rocksdb_filterpolicy_t);

extern "C" {
    pub fn rocksdb_options_create() -> *mut rocksdb_options_t;
    pub fn rocksdb_options_destroy(options: *mut rocksdb_options_t);
    pub fn rocksdb_options_set_create_if_missing(options: *mut rocksdb_options_t, value: c_uchar);
    pub fn rocksdb_options_set_block_based_table_factory(
        options: *mut rocksdb_options_t,
        table: *mut rocksdb_block_based_table_options_t,
    );
    pub fn rocksdb_get_options_from_string(
        base: *const rocksdb_options_t,
        text: *const c_char,
        options: *mut rocksdb_options_t,
        error: *mut *mut c_char,
    );
    pub fn rocksdb_block_based_options_create() -> *mut rocksdb_block_based_table_options_t;
    pub fn rocksdb_block_based_options_destroy(table: *mut rocksdb_block_based_table_options_t);
    pub fn rocksdb_block_based_options_set_filter_policy(
        table: *mut rocksdb_block_based_table_options_t,
        policy: *mut rocksdb_filterpolicy_t,
    );
    pub fn rocksdb_block_based_options_set_format_version(
        table: *mut rocksdb_block_based_table_options_t,
        version: c_int,
    );
    pub fn rocksdb_filterpolicy_create_bloom_full(bits: c_double) -> *mut rocksdb_filterpolicy_t;
    pub fn rocksdb_open(
        options: *const rocksdb_options_t,
        name: *const c_char,
        error: *mut *mut c_char,
    ) -> *mut rocksdb_t;
    pub fn rocksdb_close(db: *mut rocksdb_t);
    pub fn rocksdb_writeoptions_create() -> *mut rocksdb_writeoptions_t;
    pub fn rocksdb_writeoptions_destroy(options: *mut rocksdb_writeoptions_t);
    pub fn rocksdb_readoptions_create() -> *mut rocksdb_readoptions_t;
    pub fn rocksdb_readoptions_destroy(options: *mut rocksdb_readoptions_t);
    pub fn rocksdb_flushoptions_create() -> *mut rocksdb_flushoptions_t;
    pub fn rocksdb_flushoptions_destroy(options: *mut rocksdb_flushoptions_t);
    pub fn rocksdb_put(
        db: *mut rocksdb_t,
        options: *const rocksdb_writeoptions_t,
        key: *const c_char,
        key_size: usize,
        value: *const c_char,
        value_size: usize,
        error: *mut *mut c_char,
    );
    pub fn rocksdb_get(
        db: *mut rocksdb_t,
        options: *const rocksdb_readoptions_t,
        key: *const c_char,
        key_size: usize,
        value_size: *mut usize,
        error: *mut *mut c_char,
    ) -> *mut c_char;
    pub fn rocksdb_flush(
        db: *mut rocksdb_t,
        options: *const rocksdb_flushoptions_t,
        error: *mut *mut c_char,
    );
    pub fn rocksdb_free(pointer: *mut c_void);
}
