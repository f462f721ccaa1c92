package model_test

import (
	"fmt"
	"slices"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/model"
)

// TestPropertiesInPlace evaluates a property in successors as they are passed
// on: it must not see what calls returned in another of them, and bodies must
// not see what calls returned in the property, though it errs.
func TestPropertiesInPlace(t *testing.T) {
	m, err := murphi.Parse("m.m", []byte(`
var x, y: 0..20;
function double(): 0..20; begin return x + x; end;
startstate x := 0; y := 0; end;
rule "one" double() = 0 ==> x := 1; end;
rule "two" double() = 0 ==> x := 3; y := double(); end;
rule "three" double() = 0 ==> x := 2; end;
invariant "quotient" 10 / (double() - 2) = 5;
`), murphi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mach := model.Compile(m).NewMachine()
	quotient := slices.IndexFunc(m.Props, func(q *model.Property) bool { return q.Name == "quotient" })
	var got []string
	mach.Successors(model.State{0, 0}, func(_ model.Choice, next model.State, _ *model.Violation) bool {
		v := mach.Violated(next, quotient)
		says := "true"
		if v != nil {
			says = v.Message
		}
		got = append(got, fmt.Sprintf("%v %v %s", next, mach.Changed(), says))
		return true
	})
	want := []string{"[1 0] [0] division by zero", "[3 6] [0 1] invariant quotient is false", "[2 0] [0] true"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
