//! Links the RocksDB of pkg-config and publishes its include folder, as the fork does from 0.49 on.

fn main() {
    let library = pkg_config::probe_library("rocksdb").expect("RocksDB's library");
    println!("cargo:include={}", library.include_paths[0].display());
    println!("cargo:rustc-link-lib=dylib=stdc++");
}
