package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// This file has the garbage collector run often where memory is dear and a collection is cheap: clauses, frames and
// netlists have no pointers to follow. What encodes a model has, and so have its states. docs/decisions.md has the
// figures ("bmc of a model begins on its plain encoding", "The predicate of pdr").

// collectOften has the collector run when a fifth more is in use than after the last time.
func collectOften() { debug.SetGCPercent(20) }

// largeHeap is how much may be in use before collectLarge does anything: less is not worth a tenth of the time.
const largeHeap = 64 << 20

// collectLarge has the collector run often once much is in use after a collection.
func collectLarge() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	var look func(int)
	look = func(int) {
		if metrics.Read(live); live[0].Value.Uint64() >= largeHeap {
			collectOften()
			return
		}
		runtime.AddCleanup(new([16]byte), look, 0) // is called after the next collection
	}
	look(0)
}
