// Rust program that uses filters through the C interface: build, look up, store, verify, and read
// damaged bytes. The declarations are written by hand; winnow/winnow.h documents them.

use std::ffi::CStr;
use std::marker::PhantomData;
use std::os::raw::{c_char, c_int, c_void};
use std::ptr;

const VERIFY_PAYLOAD: c_int = 1;
const FAULT_TAIL_CHECKSUM: c_int = 4;
const FAULT_PAYLOAD: c_int = 9;
const UNKNOWN_NAME: c_int = 3;

type Handle = *mut c_void; // opaque: option set, builder, block, view or error
extern "C" {
    fn winnow_builder_new(options: Handle, error: *mut Handle) -> Handle;
    fn winnow_builder_add(builder: Handle, key: *const u8, size: usize, error: *mut Handle) -> c_int;
    fn winnow_builder_finish(builder: Handle, error: *mut Handle) -> Handle;
    fn winnow_block_data(block: Handle) -> *const u8;
    fn winnow_block_size(block: Handle) -> usize;
    fn winnow_view_new(bytes: *const u8, size: usize, check: c_int, error: *mut Handle) -> Handle;
    fn winnow_view_may_contain(view: Handle, key: *const u8, size: usize) -> bool;
}

extern "C" {
    fn winnow_builder_free(builder: Handle);
    fn winnow_builder_num_hashes(builder: Handle) -> u64;
    fn winnow_block_free(block: Handle);
    fn winnow_view_free(view: Handle);
    fn winnow_view_fault(view: Handle) -> c_int;
    fn winnow_fault_text(fault: c_int) -> *const c_char;
    fn winnow_options_new(error: *mut Handle) -> Handle;
    fn winnow_options_free(options: Handle);
    fn winnow_options_set(options: Handle, name: *const c_char, value: *const c_char, error: *mut Handle) -> c_int;
    fn winnow_error_code(error: Handle) -> c_int;
    fn winnow_error_text(error: Handle) -> *const c_char;
    fn winnow_error_free(error: Handle);
    fn winnow_version() -> *const c_char;
}

#[derive(Debug)]
struct Error {
    code: c_int,
    text: String,
}

fn text_of(text: *const c_char) -> String {
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

// Calls a function whose last parameter is the error, and converts the error to a Result.
fn checked<T>(call: impl FnOnce(*mut Handle) -> T) -> Result<T, Error> {
    let mut error = ptr::null_mut();
    let result = call(&mut error);
    if error.is_null() {
        return Ok(result);
    }
    let found = unsafe { Error { code: winnow_error_code(error), text: text_of(winnow_error_text(error)) } };
    unsafe { winnow_error_free(error) };
    Err(found)
}

struct Options(Handle);

impl Options {
    fn new() -> Result<Self, Error> {
        checked(|error| unsafe { winnow_options_new(error) }).map(Options)
    }

    // Both texts end with a null byte.
    fn set(&mut self, name: &[u8], value: &[u8]) -> Result<(), Error> {
        let name = CStr::from_bytes_with_nul(name).expect("a name that ends with a 0");
        let value = CStr::from_bytes_with_nul(value).expect("a value that ends with a 0");
        checked(|error| unsafe { winnow_options_set(self.0, name.as_ptr(), value.as_ptr(), error) }).map(|_| ())
    }
}

impl Drop for Options {
    fn drop(&mut self) {
        unsafe { winnow_options_free(self.0) }
    }
}

struct Builder(Handle);

impl Builder {
    fn new(options: &Options) -> Result<Self, Error> {
        checked(|error| unsafe { winnow_builder_new(options.0, error) }).map(Builder)
    }

    fn add(&mut self, key: &[u8]) -> Result<(), Error> {
        checked(|error| unsafe { winnow_builder_add(self.0, key.as_ptr(), key.len(), error) }).map(|_| ())
    }

    fn num_hashes(&self) -> u64 {
        unsafe { winnow_builder_num_hashes(self.0) }
    }

    fn finish(&mut self) -> Result<Block, Error> {
        checked(|error| unsafe { winnow_builder_finish(self.0, error) }).map(Block)
    }
}

impl Drop for Builder {
    fn drop(&mut self) {
        unsafe { winnow_builder_free(self.0) }
    }
}

struct Block(Handle);

impl Block {
    fn bytes(&self) -> &[u8] {
        unsafe { std::slice::from_raw_parts(winnow_block_data(self.0), winnow_block_size(self.0)) }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        unsafe { winnow_block_free(self.0) }
    }
}

// A view that borrows the bytes, as its lifetime expresses.
struct View<'a>(Handle, PhantomData<&'a [u8]>);

impl<'a> View<'a> {
    fn verified(bytes: &'a [u8]) -> Result<Self, Error> {
        checked(|error| unsafe { winnow_view_new(bytes.as_ptr(), bytes.len(), VERIFY_PAYLOAD, error) })
            .map(|view| View(view, PhantomData))
    }

    fn fault(&self) -> c_int {
        unsafe { winnow_view_fault(self.0) }
    }

    fn may_contain(&self, key: &[u8]) -> bool {
        unsafe { winnow_view_may_contain(self.0, key.as_ptr(), key.len()) }
    }
}

impl Drop for View<'_> {
    fn drop(&mut self) {
        unsafe { winnow_view_free(self.0) }
    }
}

fn key(i: usize) -> Vec<u8> {
    format!("key {}", i).into_bytes()
}

fn check_kind(kind: &[u8]) -> Result<(), Error> {
    const KEYS: usize = 10_000;
    let name = String::from_utf8_lossy(&kind[..kind.len() - 1]).into_owned();
    let mut options = Options::new()?;
    options.set(b"kind\0", kind)?;
    let mut builder = Builder::new(&options)?;
    for i in 0..KEYS {
        builder.add(&key(i))?;
    }
    assert_eq!(builder.num_hashes(), KEYS as u64);
    // A copy of the bytes, as a file would contain them; the block is freed.
    let stored = builder.finish()?.bytes().to_vec();
    drop(builder);

    let view = View::verified(&stored)?;
    assert_eq!(view.fault(), 0, "{}", text_of(unsafe { winnow_fault_text(view.fault()) }));
    assert!((0..KEYS).all(|i| view.may_contain(&key(i))), "a {} filter denies a key", name);
    let wrong = (KEYS..2 * KEYS).filter(|&i| view.may_contain(&key(i))).count();
    assert!(wrong > 0 && wrong < KEYS / 50, "{} of {} absent keys pass a {} filter", wrong, KEYS, name);

    // Every flipped bit is detected, and damaged bytes deny no key.
    let mut damaged = stored.clone();
    for at in 0..stored.len() {
        damaged[at] ^= 1 << (at % 8);
        let view = View::verified(&damaged)?;
        assert_ne!(view.fault(), 0, "byte {} of a {} filter", at, name);
        assert!(view.may_contain(&key(at)) && view.may_contain(b"absent"), "byte {} of a {} filter", at, name);
        drop(view);
        damaged[at] = stored[at];
    }
    damaged[0] ^= 1;
    assert_eq!(View::verified(&damaged)?.fault(), FAULT_PAYLOAD);
    damaged[0] = stored[0];
    *damaged.last_mut().expect("a byte") ^= 1;
    assert_eq!(View::verified(&damaged)?.fault(), FAULT_TAIL_CHECKSUM);
    for size in 0..stored.len() {
        assert_ne!(View::verified(&stored[..size])?.fault(), 0, "{} bytes of a {} filter", size, name);
    }
    println!("rust: {}: {} keys in {} bytes, {} of as many absent keys pass", name, KEYS, stored.len(), wrong);
    Ok(())
}

fn main() -> Result<(), Error> {
    println!("rust: Winnow {}", text_of(unsafe { winnow_version() }));
    check_kind(b"bloom\0")?;
    check_kind(b"ribbon\0")?;
    let refused = Options::new()?.set(b"colour\0", b"red\0").expect_err("an unknown option is refused");
    assert_eq!(refused.code, UNKNOWN_NAME);
    assert!(refused.text.contains("colour"), "{}", refused.text);
    Ok(())
}
