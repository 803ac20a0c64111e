// Go program with goleveldb, whose tables get Winnow's filters through the C interface, for
// tools/try_hosts/goleveldb.sh:
//
//	goleveldb FOLDER KEYS
//
// Makes databases with goleveldb's own Bloom filter and with Winnow's filters, in each looks up
// all keys and as many absent ones, and prints a row of a table. Ends with 1 if a key is missing,
// if an absent one is found, or if a read of a data block is not due to a filter.
package main

// #cgo pkg-config: winnow
// #include <stdlib.h>
// #include <winnow/winnow.h>
//
// // Asks a filter in Go's memory, which C may use for one call only: the view ends with the call.
// static bool may_contain(const void* bytes, size_t size, const void* key, size_t key_size) {
//   winnow_view* view = winnow_view_new(bytes, size, WINNOW_SKIP_PAYLOAD, NULL);
//   const bool maybe = view == NULL || winnow_view_may_contain(view, key, key_size);
//   winnow_view_free(view);
//   return maybe;
// }
import "C"

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"unsafe"

	"github.com/syndtr/goleveldb/leveldb"
	"github.com/syndtr/goleveldb/leveldb/filter"
	"github.com/syndtr/goleveldb/leveldb/opt"
	"github.com/syndtr/goleveldb/leveldb/storage"
	"github.com/syndtr/goleveldb/leveldb/util"
)

func pointer(bytes []byte) unsafe.Pointer {
	if len(bytes) == 0 {
		return nil
	}
	return unsafe.Pointer(&bytes[0])
}

// winnowFilter makes and asks filters of this bits_per_key. Each table states the filter's name, so
// tables with goleveldb's own filters remain readable if these are among opt.Options.AltFilters.
type winnowFilter string

func (winnowFilter) Name() string { return "winnow" }

// Contains skips the checksum of the payload: goleveldb verifies the one of the filter block.
func (winnowFilter) Contains(stored, key []byte) bool {
	return bool(C.may_contain(pointer(stored), C.size_t(len(stored)), pointer(key), C.size_t(len(key))))
}

func (f winnowFilter) NewGenerator() filter.FilterGenerator {
	return &generator{bitsPerKey: string(f)}
}

// generator keeps hashes in Go's memory, as goleveldb does not say when it drops a generator.
type generator struct {
	bitsPerKey string
	hashes     []C.uint64_t
}

func (g *generator) Add(key []byte) {
	g.hashes = append(g.hashes, C.winnow_hash(pointer(key), C.size_t(len(key))))
}

func (g *generator) Generate(b filter.Buffer) {
	block, err := g.build()
	g.hashes = g.hashes[:0]
	if err != nil {
		// goleveldb takes an empty filter for one without keys; one of a byte lets all keys pass.
		log.Print(err)
		b.WriteByte(0)
		return
	}
	defer C.winnow_block_free(block)
	size := int(C.winnow_block_size(block))
	copy(b.Alloc(size), unsafe.Slice((*byte)(C.winnow_block_data(block)), size))
}

func (g *generator) build() (*C.winnow_block, error) {
	var e *C.winnow_error
	options := C.winnow_options_new(&e)
	defer C.winnow_options_free(options)
	if e == nil {
		name, value := C.CString("bits_per_key"), C.CString(g.bitsPerKey)
		defer C.free(unsafe.Pointer(name))
		defer C.free(unsafe.Pointer(value))
		C.winnow_options_set(options, name, value, &e)
	}
	var builder *C.winnow_builder
	if e == nil {
		builder = C.winnow_builder_new(options, &e)
		defer C.winnow_builder_free(builder)
	}
	if e == nil {
		C.winnow_builder_add_hashes(builder, &g.hashes[0], C.size_t(len(g.hashes)), &e)
	}
	var block *C.winnow_block
	if e == nil {
		block = C.winnow_builder_finish(builder, &e)
	}
	if e != nil {
		defer C.winnow_error_free(e)
		return nil, fmt.Errorf("winnow: %s", C.GoString(C.winnow_error_text(e)))
	}
	return block, nil
}

// counted is a filter that counts how often it is asked, and the bytes of all filters that were asked.
type counted struct {
	filter.Filter
	asked, passed int64
	sizes         map[*byte]int
}

func (f *counted) Contains(stored, key []byte) bool {
	f.asked++
	f.sizes[&stored[0]] = len(stored)
	maybe := f.Filter.Contains(stored, key)
	if maybe {
		f.passed++
	}
	return maybe
}

// countingStorage counts reads of tables.
type countingStorage struct {
	storage.Storage
	reads int64
}

type countingReader struct {
	storage.Reader
	reads *int64
}

func (s *countingStorage) Open(fd storage.FileDesc) (storage.Reader, error) {
	reader, err := s.Storage.Open(fd)
	if err != nil || fd.Type != storage.TypeTable {
		return reader, err
	}
	return countingReader{reader, &s.reads}, nil
}

func (r countingReader) ReadAt(bytes []byte, offset int64) (int, error) {
	atomic.AddInt64(r.reads, 1)
	return r.Reader.ReadAt(bytes, offset)
}

func key(i int) []byte { return []byte(fmt.Sprintf("key%010d", i)) }

// count returns the number of keys i, i + 2 and so on that the database has, of n in all.
func count(db *leveldb.DB, i, n int) int {
	found := 0
	for ; n > 0; n-- {
		if _, err := db.Get(key(i), nil); err == nil {
			found++
		} else if err != leveldb.ErrNotFound {
			log.Fatal(err)
		}
		i += 2
	}
	return found
}

// try makes a database of the even keys in one level, and prints what lookups read. A filter is for the keys of
// 2^perBytes bytes of a table.
func try(title, folder string, f filter.Filter, perBytes, keys int) {
	inFolder, err := storage.OpenFile(folder, false)
	if err != nil {
		log.Fatal(err)
	}
	files := &countingStorage{Storage: inFolder}
	asked := &counted{Filter: f, sizes: map[*byte]int{}}
	// Without a block cache, goleveldb keeps filters and indexes of open tables, and reads each data block from its file.
	db, err := leveldb.Open(files, &opt.Options{Filter: asked, FilterBaseLg: perBytes, DisableBlockCache: true,
		Compression: opt.NoCompression, ErrorIfExist: true})
	if err != nil {
		log.Fatal(err)
	}
	value := make([]byte, 100)
	for i := 0; i < keys; i++ {
		if err := db.Put(key(2*i), value, nil); err != nil {
			log.Fatal(err)
		}
	}
	if err := db.CompactRange(util.Range{}); err != nil {
		log.Fatal(err)
	}

	missing := keys - count(db, 0, keys) // opens all tables
	reads := atomic.LoadInt64(&files.reads)
	asked.asked, asked.passed = 0, 0
	invented := count(db, 1, keys)
	reads = atomic.LoadInt64(&files.reads) - reads
	bytes := 0
	for _, size := range asked.sizes {
		bytes += size
	}
	fmt.Printf("| %s | %d | %d | %.2f | %d | %d | %d |\n", title, len(asked.sizes), bytes, 8*float64(bytes)/float64(keys), asked.asked, reads, missing)
	if missing != 0 || invented != 0 || reads != asked.passed {
		log.Fatalf("%s: %d keys are missing, %d are invented, %d filters passed", title, missing, invented, asked.passed)
	}
	if err := db.Close(); err != nil {
		log.Fatal(err)
	}
	inFolder.Close()
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("expected a folder and a number of keys")
	}
	keys, err := strconv.Atoi(os.Args[2])
	if err != nil || keys < 1 {
		log.Fatalf("expected a number of keys, found %q", os.Args[2])
	}
	fmt.Println("| filters | number | bytes | bits per key | asked for absent keys | data blocks read for them | missing keys |")
	fmt.Println("|---|---:|---:|---:|---:|---:|---:|")
	for _, per := range []struct {
		title string
		bytes int
	}{{"each table", 30}, {"each 2 KiB, the default", opt.DefaultFilterBaseLg}} {
		for i, each := range []struct {
			title string
			filter.Filter
		}{{"goleveldb's Bloom, 10", filter.NewBloomFilter(10)}, {"Winnow's, 10", winnowFilter("10")}, {"Winnow's, 14.3", winnowFilter("14.3")}} {
			folder := filepath.Join(os.Args[1], fmt.Sprintf("%d.%d", per.bytes, i))
			try(each.title+", for "+per.title, folder, each.Filter, per.bytes, keys)
		}
	}
}
