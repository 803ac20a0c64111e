//! Compiles Winnow's sources with the headers of the program's RocksDB.
//!
//! Sources and flags are those of `winnow.mk`: all sources of some folders, with the flags in
//! `src/simd/flags.mk`.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    let root = Path::new(&variable("CARGO_MANIFEST_DIR").unwrap()).join("../../..");
    let root = root
        .canonicalize()
        .expect("the repository around this crate");
    let bridge = "bindings/rust/winnow-rocksdb/src/bridge.cc";
    for path in ["include", "src", "third_party", bridge] {
        println!("cargo:rerun-if-changed={}", root.join(path).display());
    }

    let mut build = cc::Build::new();
    build
        .cpp(true)
        .warnings(false)
        .flag("-std=c++20") // RocksDB's headers need it from 10.7 on
        .flag("-fvisibility=hidden")
        .include(root.join("include"))
        .include(&root)
        .include(rocksdb_headers())
        .define("WINNOW_EXPORT", "")
        .define("WINNOW_THREAD_STORAGE", "") // empty, as in RocksDB's own tree
        .define("XXH_INLINE_ALL", None);
    require_xxhash(&build, &root.join("src/formulas/xxh3.h"));

    let lists = make_lists(&root.join("src/simd/flags.mk"));
    let mut kernels: Vec<String> = ["cpu", "kernels", "portable"].map(String::from).to_vec();
    match variable("CARGO_CFG_TARGET_ARCH").as_deref() {
        Some("x86_64") => {
            build.define("WINNOW_X86", "1");
            kernels.extend_from_slice(&lists["winnow_kernels_x86"]);
        }
        Some("aarch64") => {
            build.define("WINNOW_ARM64", "1");
            kernels.extend_from_slice(&lists["winnow_kernels_arm64"]);
        }
        _ => {}
    }
    let kernel_source = |kernel: String| root.join(format!("src/simd/{kernel}.cc"));
    for (name, flags) in &lists {
        let Some(set) = name.strip_prefix("winnow_flags_") else {
            continue;
        };
        let (with_flags, others) = kernels.into_iter().partition(|kernel| kernel.contains(set));
        let with_flags: Vec<String> = with_flags;
        kernels = others;
        let mut kernel_build = build.clone();
        for flag in flags {
            kernel_build.flag(flag);
        }
        build.objects(
            kernel_build
                .files(with_flags.into_iter().map(kernel_source))
                .compile_intermediates(),
        );
    }
    build
        .files(kernels.into_iter().map(kernel_source))
        .files(
            ["base", "core", "rocksdb"]
                .iter()
                .flat_map(|folder| sources(&root.join("src").join(folder))),
        )
        .file(root.join(bridge))
        .compile("winnow_rocksdb");
}

/// Returns an environment variable; the build script runs again if it changes.
fn variable(name: &str) -> Option<String> {
    println!("cargo:rerun-if-env-changed={name}");
    env::var(name).ok()
}

/// Returns the include folder of the RocksDB that the sys crate links.
fn rocksdb_headers() -> PathBuf {
    let own = variable("DEP_ROCKSDB_CARGO_MANIFEST_DIR").map(|folder| folder + "/rocksdb/include");
    let mut folders = vec![own, variable("ROCKSDB_INCLUDE_DIR")];
    // The sys crate compiles its own RocksDB unless ROCKSDB_LIB_DIR has a library.
    if variable("ROCKSDB_LIB_DIR").is_some() && !is_set("ROCKSDB_COMPILE") {
        folders.reverse();
    }
    folders.insert(0, variable("DEP_ROCKSDB_INCLUDE")); // set by newer sys crates
    let mut folders: Vec<PathBuf> = folders.into_iter().flatten().map(PathBuf::from).collect();
    if let Ok(library) = pkg_config::Config::new()
        .cargo_metadata(false)
        .probe("rocksdb")
    {
        folders.extend(library.include_paths);
    }
    let is_there = |folder: &PathBuf| folder.join("rocksdb/version.h").exists();
    folders.into_iter().find(is_there).expect(
        "RocksDB's headers, of the sys crate, ROCKSDB_INCLUDE_DIR or pkg-config: set the second to \
         the folder that has rocksdb/version.h of the RocksDB that is linked",
    )
}

/// Returns true if the environment variable is "1" or "true", by the rule of the sys crate.
fn is_set(name: &str) -> bool {
    variable(name).is_some_and(|value| value == "1" || value.eq_ignore_ascii_case("true"))
}

/// Panics with a message if xxHash is missing, or if an old version is found first.
fn require_xxhash(build: &cc::Build, header: &Path) {
    let mut compiler = build.get_compiler().to_command();
    let found = compiler.args(["-E", "-x", "c++"]).arg(header).output();
    assert!(
        found.is_ok_and(|output| output.status.success()),
        "Winnow needs a C++ compiler of C++20 and the header xxhash.h of xxHash 0.8.0 or later (on \
         Debian and Ubuntu: apt-get install g++ libxxhash-dev); where that is in no folder of the \
         system, or an older one comes before it, set CXXFLAGS=-IFOLDER"
    );
}

/// Parses a makefile of lines `name = words`; returns the words by name.
fn make_lists(file: &Path) -> BTreeMap<String, Vec<String>> {
    let text =
        fs::read_to_string(file).unwrap_or_else(|problem| panic!("{}: {problem}", file.display()));
    let words = |list: &str| list.split(' ').map(str::to_string).collect();
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(" = "))
        .map(|(name, list)| (name.to_string(), words(list)))
        .collect()
}

/// Returns the sources in a folder and its subfolders, except for those that register the policy in
/// other kinds of builds.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|problem| panic!("{}: {problem}", folder.display()));
    let mut found = vec![];
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension() == Some(OsStr::new("cc"))
            && !["in_tree.cc", "register_at_load.cc"]
                .iter()
                .any(|name| path.ends_with(name))
        {
            found.push(path);
        }
    }
    found.sort();
    found
}
