// Package fault has an error that ends a reading of something wherever it is found.
package fault

// Catch turns a panic with an error of a type into this error. It must be deferred itself.
func Catch[E error](err *error) {
	switch e := recover().(type) {
	case nil:
	case E:
		*err = e
	default:
		panic(e)
	}
}
