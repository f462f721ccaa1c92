package sched

import (
	"reflect"
	"sort"
)

// Iter goes through a map in the order of its keys.
type Iter[K comparable, V any] struct {
	m    map[K]V
	keys []K
	nans []V // values of keys that are NaN, which no look-up finds
}

// Pairs begins to go through a map. Go does so in any order.
func Pairs[K comparable, V any](m map[K]V) (*Iter[K, V], K, V, bool) {
	it := &Iter[K, V]{m: m}
	if On() {
		the.note("ranges over maps go in one order")
	}
	for k, v := range m {
		it.keys = append(it.keys, k)
		if k != k {
			it.nans, Unordered = append(it.nans, v), true
		}
	}
	sort.SliceStable(it.keys, func(i, j int) bool {
		return compare(reflect.ValueOf(&it.keys[i]).Elem(), reflect.ValueOf(&it.keys[j]).Elem()) < 0
	})
	k, v, ok := it.Next()
	return it, k, v, ok
}

// Next returns the next pair that is still in the map.
func (it *Iter[K, V]) Next() (k K, v V, ok bool) {
	for len(it.keys) > 0 {
		k, it.keys = it.keys[0], it.keys[1:]
		if v, ok = it.m[k]; ok {
			return k, v, true
		}
		if k != k {
			v, it.nans = it.nans[0], it.nans[1:]
			return k, v, true
		}
	}
	var none K
	return none, v, false
}

func compare(a, b reflect.Value) int {
	switch a.Kind() {
	case reflect.String:
		return order(a.String() < b.String(), a.String() > b.String())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return order(a.Int() < b.Int(), a.Int() > b.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return order(a.Uint() < b.Uint(), a.Uint() > b.Uint())
	case reflect.Float32, reflect.Float64:
		return order(a.Float() < b.Float(), a.Float() > b.Float())
	case reflect.Bool:
		return order(!a.Bool() && b.Bool(), a.Bool() && !b.Bool())
	case reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return order(a.IsNil() && !b.IsNil(), b.IsNil() && !a.IsNil())
		}
		x, y := a.Elem(), b.Elem()
		if x.Type() != y.Type() {
			return order(x.Type().String() < y.Type().String(), x.Type().String() > y.Type().String())
		}
		return compare(x, y)
	case reflect.Struct:
		for i := 0; i < a.NumField(); i++ {
			if c := compare(a.Field(i), b.Field(i)); c != 0 {
				return c
			}
		}
	case reflect.Array:
		for i := 0; i < a.Len(); i++ {
			if c := compare(a.Index(i), b.Index(i)); c != 0 {
				return c
			}
		}
	default: // pointers, channels: addresses differ from run to run
		Unordered = true
	}
	return 0
}

// Unordered says that a map was gone through whose keys have no order.
var Unordered bool

func order(less, more bool) int {
	switch {
	case less:
		return -1
	case more:
		return 1
	}
	return 0
}
