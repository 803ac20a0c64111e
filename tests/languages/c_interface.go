// Go program that uses filters through the C interface: build, look up, store, verify, and read
// damaged bytes.
package main

// #cgo pkg-config: winnow
// #include <stdlib.h>
// #include <winnow/winnow.h>
import "C"

import (
	"fmt"
	"log"
	"strings"
	"unsafe"
)

const keys = 10000

func key(i int) []byte { return []byte(fmt.Sprintf("key %d", i)) }

// taken converts an error of the C API to a Go error.
func taken(e *C.winnow_error) error {
	if e == nil {
		return nil
	}
	defer C.winnow_error_free(e)
	return fmt.Errorf("winnow: %s (code %d)", C.GoString(C.winnow_error_text(e)), C.winnow_error_code(e))
}

func newOptions(name, value string) (*C.winnow_options, error) {
	var e *C.winnow_error
	options := C.winnow_options_new(&e)
	if err := taken(e); err != nil {
		return nil, err
	}
	cName, cValue := C.CString(name), C.CString(value)
	defer C.free(unsafe.Pointer(cName))
	defer C.free(unsafe.Pointer(cValue))
	C.winnow_options_set(options, cName, cValue, &e)
	if err := taken(e); err != nil {
		C.winnow_options_free(options)
		return nil, err
	}
	return options, nil
}

// build returns the bytes of a filter of the keys in Go's memory, as a file would contain them.
func build(options *C.winnow_options) ([]byte, error) {
	var e *C.winnow_error
	builder := C.winnow_builder_new(options, &e)
	defer C.winnow_builder_free(builder)
	for i := 0; i < keys && e == nil; i++ {
		k := key(i)
		C.winnow_builder_add(builder, unsafe.Pointer(&k[0]), C.size_t(len(k)), &e)
	}
	if e != nil {
		return nil, taken(e)
	}
	block := C.winnow_builder_finish(builder, &e)
	defer C.winnow_block_free(block)
	if e != nil {
		return nil, taken(e)
	}
	return C.GoBytes(C.winnow_block_data(block), C.int(C.winnow_block_size(block))), nil
}

// view refers to bytes for longer than a call, for which cgo requires memory allocated by C.
type view struct {
	bytes  unsafe.Pointer
	handle *C.winnow_view
}

func verified(filter []byte) (*view, error) {
	var e *C.winnow_error
	bytes := C.CBytes(filter)
	handle := C.winnow_view_new(bytes, C.size_t(len(filter)), C.WINNOW_VERIFY_PAYLOAD, &e)
	if err := taken(e); err != nil {
		C.free(bytes)
		return nil, err
	}
	return &view{bytes, handle}, nil
}

func (v *view) mayContain(k []byte) bool {
	return bool(C.winnow_view_may_contain(v.handle, unsafe.Pointer(&k[0]), C.size_t(len(k))))
}

func (v *view) fault() C.winnow_fault { return C.winnow_view_fault(v.handle) }

func (v *view) free() {
	C.winnow_view_free(v.handle)
	C.free(v.bytes)
}

// faultOf returns the fault of the bytes; no damaged filter may deny a key.
func faultOf(filter []byte) C.winnow_fault {
	v, err := verified(filter)
	if err != nil {
		log.Fatal(err)
	}
	defer v.free()
	if v.fault() != C.WINNOW_NO_FAULT && !(v.mayContain(key(0)) && v.mayContain([]byte("absent"))) {
		log.Fatalf("bytes with the fault %q deny a key", C.GoString(C.winnow_fault_text(v.fault())))
	}
	return v.fault()
}

func checkKind(kind string) error {
	options, err := newOptions("kind", kind)
	if err != nil {
		return err
	}
	defer C.winnow_options_free(options)
	stored, err := build(options)
	if err != nil {
		return err
	}
	filter, err := verified(stored)
	if err != nil {
		return err
	}
	defer filter.free()
	if filter.fault() != C.WINNOW_NO_FAULT {
		return fmt.Errorf("%s: the new filter has a fault: %s", kind, C.GoString(C.winnow_fault_text(filter.fault())))
	}
	wrong := 0
	for i := 0; i < keys; i++ {
		if !filter.mayContain(key(i)) {
			return fmt.Errorf("%s: the filter denies key %d", kind, i)
		}
		if filter.mayContain(key(keys + i)) {
			wrong++
		}
	}
	if wrong == 0 || wrong >= keys/50 {
		return fmt.Errorf("%s: %d of %d absent keys pass", kind, wrong, keys)
	}

	// Every flipped bit and every truncation is detected.
	for at := range stored {
		stored[at] ^= 1 << (at % 8)
		fault := faultOf(stored)
		if fault == C.WINNOW_NO_FAULT {
			return fmt.Errorf("%s: a bit of byte %d was flipped, and there is no fault", kind, at)
		}
		if at == 0 && fault != C.WINNOW_FAULT_PAYLOAD || at == len(stored)-1 && fault != C.WINNOW_FAULT_TAIL_CHECKSUM {
			return fmt.Errorf("%s: of byte %d the fault is %d", kind, at, fault)
		}
		stored[at] ^= 1 << (at % 8)
	}
	for size := range stored {
		if faultOf(stored[:size]) == C.WINNOW_NO_FAULT {
			return fmt.Errorf("%s: %d of %d bytes have no fault", kind, size, len(stored))
		}
	}
	fmt.Printf("go: %s: %d keys in %d bytes, %d of as many absent keys pass\n", kind, keys, len(stored), wrong)
	return nil
}

func main() {
	fmt.Println("go: Winnow", C.GoString(C.winnow_version()))
	for _, kind := range []string{"bloom", "ribbon"} {
		if err := checkKind(kind); err != nil {
			log.Fatal(err)
		}
	}
	if _, err := newOptions("colour", "red"); err == nil || !strings.Contains(err.Error(), "colour") {
		log.Fatalf("of an unknown option it is said: %v", err)
	}
}
