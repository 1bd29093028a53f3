//go:build asan

package pool

/*
#include <errno.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <sanitizer/asan_interface.h>

// Addresses travel as integers: the C side neither reads nor keeps the memory,
// so the rules on passing Go pointers have nothing to guard.
static void poison(uintptr_t start, size_t size) {
	__asan_poison_memory_region((void *)start, size);
}

static void unpoison(uintptr_t start, size_t size) {
	__asan_unpoison_memory_region((void *)start, size);
}

static sem_t fault, told;

// onReport runs on the faulting thread, after the sanitizer has printed its
// report and before it ends the process. That thread cannot run Go code, so it
// waits for one that can, not for ever in case there is none.
static void onReport(const char *text) {
	struct timespec end;
	(void)text;
	sem_post(&fault);
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += 3;
	while (sem_timedwait(&told, &end) != 0 && errno == EINTR) {
	}
}

static int peephole[2];

static void watch(void) {
	if (pipe(peephole) != 0) {
		peephole[0] = peephole[1] = -1;
	}
	sem_init(&fault, 0, 0);
	sem_init(&told, 0, 0);
	__asan_set_error_report_callback(onReport);
}

// peek copies two words from an address that may not be mapped: where a read
// would be a fault, a system call just fails. It goes around the C library
// because the sanitizer would check the C library's write.
static int peek(uintptr_t at, uintptr_t *to) {
	size_t n = 2 * sizeof *to;
	return syscall(SYS_write, peephole[1], at, n) == (long)n && read(peephole[0], to, n) == (ssize_t)n;
}

static void awaitFault(void) {
	while (sem_wait(&fault) != 0) {
	}
}

static uintptr_t faultPC(void) { return (uintptr_t)__asan_get_report_pc(); }
static uintptr_t faultSP(void) { return (uintptr_t)__asan_get_report_sp(); }
static uintptr_t faultAddress(void) { return (uintptr_t)__asan_get_report_address(); }
static void faultTold(void) { sem_post(&told); }
*/
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"unsafe"
)

// poison makes the sanitizer report any use of the memory. Returned objects
// stay poisoned if the collector frees them: the runtime itself poisons what it
// frees and lifts the poison from what it allocates.
func poison(e extent) { C.poison(C.uintptr_t(e.start), C.size_t(e.size)) }

func unpoison(e extent) { C.unpoison(C.uintptr_t(e.start), C.size_t(e.size)) }

// reportFaults makes uses of poisoned memory be told by source line and with
// the stacks of the object's Get and Put. The sanitizer's own report has lines
// only in binaries with DWARF, which go test leaves out.
var reportFaults = sync.OnceFunc(func() {
	C.watch()
	go func() {
		C.awaitFault()
		tellFault(uintptr(C.faultAddress()), faultStack(uintptr(C.faultPC()), uintptr(C.faultSP())))
		C.faultTold()
	}()
})

func (e extent) contains(address uintptr) bool { return address-e.start < e.size }

// tellFault prints what is known of the memory at address, which the code at
// used touched, if a pool has it.
func tellFault(address uintptr, used stack) {
	// The faulting thread may hold the lock.
	if !ledger.TryLock() {
		return
	}
	defer ledger.Unlock()
	for _, r := range ledger.records {
		if r.memory[0].contains(address) || r.memory[1].contains(address) {
			fmt.Fprintf(os.Stderr, "pool: use after Put: the memory at %#x was put back\nused at:\n%sput back at:\n%sgot at:\n%s",
				address, used, r.put, r.got)
			return
		}
	}
}

// faultStack returns the stack of the goroutine that ran into poisoned memory,
// without callers that were inlined. pc and sp are the return address and the
// caller's stack pointer as runtime.asanread saw them. Its own frame lies right
// below sp and holds the first two words of the chain of frame pointers: the
// caller's frame pointer and, above it, pc.
func faultStack(pc, sp uintptr) stack {
	const (
		word      = unsafe.Sizeof(pc)
		nearest   = 16 // words below sp that asanread's frame may take
		maxFrames = 64
	)
	s := stack{pc}
	for at := sp - 2*word; at >= sp-nearest*word; at -= word {
		fp, ret, ok := peek(at)
		if !ok || ret != pc {
			continue
		}
		for len(s) < maxFrames {
			up, ret, ok := peek(fp)
			if !ok || runtime.FuncForPC(ret) == nil {
				break
			}
			s = append(s, ret)
			if up <= fp {
				break
			}
			fp = up
		}
		break
	}
	return s
}

// peek returns the two words at address, if there is memory.
func peek(address uintptr) (low, high uintptr, ok bool) {
	var words [2]C.uintptr_t
	ok = C.peek(C.uintptr_t(address), &words[0]) != 0
	return uintptr(words[0]), uintptr(words[1]), ok
}
