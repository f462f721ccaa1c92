package task

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orbitmc/mc"
	"orbitmc/ts"
)

// TestWires: of a netlist of words, text and waves have the wires with names on which the property depends, and waves a scope for
// each instance.
func TestWires(t *testing.T) {
	const src = `1 sort bitvec 1
2 sort bitvec 4
3 zero 2
4 input 1 en
5 state 2 u.v.count
6 init 2 5 3
7 one 2
8 add 2 5 7 u.more
9 ite 2 4 8 5
10 next 2 5 9
11 constd 2 2
12 eq 1 5 11 $eq$1
13 uext 1 12 0 at_two
14 state 2 unused
15 and 1 12 4 bad_now
16 uext 2 14 0 of_unused
17 bad 15 p
`
	file := filepath.Join(t.TempDir(), "a.btor2")
	if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	k, err := Open(context.Background(), file, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Prepare(context.Background(), false); err != nil {
		t.Fatal(err)
	}
	in := [][]bool{{true}, {true}, {true}}
	pr := &mc.PropResult{Status: mc.Unsafe, Path: &ts.Trace{Init: nil, Inputs: in}}
	var text, waves strings.Builder
	if err := k.Source.WriteTrace(&text, pr, ""); err != nil {
		t.Fatal(err)
	}
	if err := k.Source.SaveTrace(&waves, pr, "vcd"); err != nil {
		t.Fatal(err)
	}
	if want := "  wires that change: at_two=1 bad_now=1\n"; !strings.Contains(text.String(), want) {
		t.Errorf("no %q in\n%s", want, &text)
	}
	const head = `$timescale 1 ns $end
$scope module netlist $end
$var wire 1 ! en $end
$var wire 1 $ at_two $end
$var wire 1 % bad_now $end
$scope module u $end
$var wire 4 # more $end
$scope module v $end
$var wire 4 " count $end
$upscope $end
$upscope $end
$upscope $end
$enddefinitions $end
`
	if !strings.HasPrefix(waves.String(), head) {
		t.Errorf("%s", &waves)
	}
}
