// Go program that contains RocksDB: writes keys with a Bloom policy through the C API, and looks up
// all of them and as many absent keys. Usage: rocksdb FOLDER KEYS

package main

/*
#include <rocksdb/c.h>
#include <stdlib.h>
*/
import "C"

import (
	"fmt"
	"os"
	"strconv"
	"unsafe"
)

func check(message *C.char) {
	if message != nil {
		fmt.Fprintln(os.Stderr, C.GoString(message))
		os.Exit(1)
	}
}

func bytesOf(key string) (*C.char, C.size_t) {
	bytes := []byte(key)
	return (*C.char)(unsafe.Pointer(&bytes[0])), C.size_t(len(bytes))
}

func main() {
	keys, _ := strconv.Atoi(os.Args[2])
	var message *C.char
	options := C.rocksdb_options_create()
	C.rocksdb_options_set_create_if_missing(options, 1)
	table := C.rocksdb_block_based_options_create()
	C.rocksdb_block_based_options_set_filter_policy(table, C.rocksdb_filterpolicy_create_bloom_full(10))
	C.rocksdb_options_set_block_based_table_factory(options, table)
	folder := C.CString(os.Args[1])
	database := C.rocksdb_open(options, folder, &message)
	check(message)

	writing := C.rocksdb_writeoptions_create()
	for i := 0; i < keys; i++ {
		key, size := bytesOf(fmt.Sprintf("key%08d", 2*i))
		C.rocksdb_put(database, writing, key, size, key, 1, &message)
		check(message)
	}
	C.rocksdb_flush(database, C.rocksdb_flushoptions_create(), &message)
	check(message)

	reading := C.rocksdb_readoptions_create()
	missing, invented := 0, 0
	for i := 0; i < 2*keys; i++ {
		key, size := bytesOf(fmt.Sprintf("key%08d", i))
		var found C.size_t
		value := C.rocksdb_get(database, reading, key, size, &found, &message)
		check(message)
		if value == nil && i%2 == 0 {
			missing++
		} else if value != nil && i%2 == 1 {
			invented++
		}
		C.free(unsafe.Pointer(value))
	}
	C.rocksdb_close(database)
	fmt.Printf("missing=%d invented=%d\n", missing, invented)
}
