package aiger_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"orbitmc/aig"
	"orbitmc/encode/aiger"
	"orbitmc/internal/testkit/nightly"
	"orbitmc/ts"
)

// tool returns the program that the environment variable names, or that is in
// PATH, and skips the test if there is none.
func tool(t *testing.T, variable, program string) string {
	t.Helper()
	if path := os.Getenv(variable); path != "" {
		return path
	}
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s is not installed, and %s is not set", program, variable)
	}
	return path
}

// refused are the public files that break the format, and how. They are
// tests of the reader they come with.
var refused = map[string]string{
	"18710595_multidef.aag": ":6:1: a literal is defined once: 6 is an AND already (byte 27)",
	"7aa116f4_combloop.aag": ":7:6: ANDs are acyclic: literal 8 depends on itself (byte 39)",
}

// readPublic reads a public netlist. It returns nil for one that is refused, and
// should be.
func readPublic(t *testing.T, path string) *aiger.File {
	t.Helper()
	why, ok := refused[filepath.Base(path)]
	if !ok {
		return read(t, path, load(t, path))
	}
	if _, err := aiger.Read(bytes.NewReader(load(t, path)), path); err == nil || err.Error() != path+why {
		t.Errorf("%v, want %s%s", err, path, why)
	}
	return nil
}

// TestRoundTrip: every public netlist is read, written, and read as the same;
// written again, it gives the same bytes.
func TestRoundTrip(t *testing.T) {
	for i, path := range public(t) {
		if !nightly.On() && i%4 != 0 {
			continue
		}
		f := readPublic(t, path)
		if f == nil {
			continue
		}
		for _, binary := range []bool{false, true} {
			text := write(t, f, binary)
			again := read(t, path, text)
			if err := different(f, again); err != nil {
				t.Errorf("%s, binary: %v: %v", path, binary, err)
			}
			if !bytes.Equal(text, write(t, again, binary)) {
				t.Errorf("%s, binary: %v: written twice, it differs", path, binary)
			}
		}
	}
}

// parts is a file taken apart by other means than the reader: its header, the
// lines of the other sections before the ANDs, and the ANDs. What follows them
// is left out.
type parts struct {
	binary bool
	header []int // M I L O A B C J F
	lines  []string
	ands   []byte
}

func takeApart(t *testing.T, data []byte) (p parts) {
	line := func() string {
		before, after, ok := bytes.Cut(data, []byte("\n"))
		if !ok {
			t.Fatal("a line is missing")
		}
		data = after
		return string(before)
	}
	words := strings.Fields(line())
	p.binary = words[0] == "aig"
	p.header = make([]int, 9)
	for i, w := range words[1:] {
		p.header[i], _ = strconv.Atoi(w)
	}
	h := p.header
	n := h[2] + h[3] + h[5] + h[6]
	if !p.binary {
		n += h[1]
	}
	for range n {
		p.lines = append(p.lines, line())
	}
	sum := h[8]
	for range h[7] {
		p.lines = append(p.lines, line())
		size, _ := strconv.Atoi(p.lines[len(p.lines)-1])
		sum += size
	}
	for range sum {
		p.lines = append(p.lines, line())
	}
	p.ands = data
	end := 0
	for range h[4] {
		if p.binary {
			for range 2 {
				for data[end] >= 0x80 {
					end++
				}
				end++
			}
			continue
		}
		end += bytes.IndexByte(data[end:], '\n') + 1
	}
	p.ands = data[:end]
	return p
}

// observable returns the file with everything that is one literal a line made
// an output, constraints too, which would end a simulation. The sizes of justice
// properties are left out.
func (p parts) observable() []byte {
	h := p.header
	head := h[2]
	if !p.binary {
		head += h[1]
	}
	sizes := head + h[3] + h[5] + h[6]
	outputs := append(append([]string{}, p.lines[head:sizes]...), p.lines[sizes+h[7]:]...)
	magic := "aag"
	if p.binary {
		magic = "aig"
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %d %d %d %d %d\n", magic, h[0], h[1], h[2], len(outputs), h[4])
	for _, line := range append(append([]string{}, p.lines[:head]...), outputs...) {
		b.WriteString(line + "\n")
	}
	b.Write(p.ands)
	return b.Bytes()
}

// TestAigsim holds what is read to the simulator of the AIGER library: random
// initial values where a latch is uninitialised, 1000 random steps, and every
// latch and every function that the file names in each of them. Files of more
// than 50 kB have 1000 steps with ORBITMC_LONG=1, and otherwise 50.
func TestAigsim(t *testing.T) {
	aigsim := tool(t, "AIGSIM", "aigsim")
	rng := rand.New(rand.NewPCG(9, 10))
	dir := t.TempDir()
	for _, path := range public(t) {
		f := readPublic(t, path)
		if f == nil {
			continue
		}
		data := load(t, path)
		p, steps := takeApart(t, data), 1000
		if len(data) > 50_000 && !nightly.On() {
			steps = 50
		}
		name := filepath.Join(dir, "x.aag")
		if err := os.WriteFile(name, p.observable(), 0o666); err != nil {
			t.Fatal(err)
		}
		e := ts.NewEvaluator(f.Sys)
		state := e.Reset(randomBits(rng, len(f.Sys.Init)))
		preds := predicates(f)
		var stimulus, want bytes.Buffer
		fmt.Fprintf(&stimulus, "1\nb0\n%s\n", digits(state))
		for range steps {
			in := randomBits(rng, len(f.Sys.Inputs))
			fmt.Fprintf(&stimulus, "%s\n", digits(in))
			e.Set(state, in)
			values := make([]bool, len(preds))
			for i, q := range preds {
				values[i] = e.Value(q.Lit)
			}
			fmt.Fprintf(&want, "%s %s %s %[1]s\n", digits(state), digits(in), digits(values)) // it prints the state twice
			state = e.Next()
		}
		stimulus.WriteString(".\n")
		cmd := exec.Command(aigsim, "-w", name)
		cmd.Stdin = &stimulus
		got, err := cmd.Output()
		if err != nil {
			t.Errorf("%s: %v: %s", path, err, got)
			continue
		}
		_, got, _ = bytes.Cut(got, []byte("\n")) // "Grounded instance …"
		if i := bytes.LastIndex(got, []byte("Trace is a witness")); i >= 0 {
			got = got[:i]
		}
		if !bytes.Equal(got, want.Bytes()) {
			a, b := strings.Split(string(got), "\n"), strings.Split(want.String(), "\n")
			for k := range min(len(a), len(b)) {
				if a[k] != b[k] {
					t.Errorf("%s, step %d:\n%.2000s\nwant\n%.2000s", path, k, a[k], b[k])
					break
				}
			}
			t.Errorf("%s: %d lines, want %d", path, len(a), len(b))
		}
	}
}

func digits(bits []bool) []byte {
	s := make([]byte, len(bits))
	for i, b := range bits {
		s[i] = '0'
		if b {
			s[i] = '1'
		}
	}
	return s
}

// TestAigtoaig: the AIGER library reads what we write, and translates our ascii
// into our binary and back, byte for byte.
func TestAigtoaig(t *testing.T) {
	aigtoaig := tool(t, "AIGTOAIG", "aigtoaig")
	dir := t.TempDir()
	translate := func(name, from string, text []byte, to string) []byte {
		in, out := filepath.Join(dir, "in."+from), filepath.Join(dir, "out."+to)
		if err := os.WriteFile(in, text, 0o666); err != nil {
			t.Fatal(err)
		}
		if said, err := exec.Command(aigtoaig, in, out).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", name, err, said)
		}
		return load(t, out)
	}
	check := func(name string, f *aiger.File) {
		ascii, binary := write(t, f, false), write(t, f, true)
		if !bytes.Equal(translate(name, "aag", ascii, "aig"), binary) {
			t.Errorf("%s: ascii is translated to another binary", name)
		}
		if !bytes.Equal(translate(name, "aig", binary, "aag"), ascii) {
			t.Errorf("%s: binary is translated to another ascii", name)
		}
	}
	check("everything", read(t, "x", []byte(everything)))
	rng := rand.New(rand.NewPCG(11, 12))
	for i := range 30 {
		check(fmt.Sprint("random system ", i), aiger.FromSystem(randomSystem(rng)))
	}
	for _, path := range public(t) {
		f := readPublic(t, path)
		if f == nil {
			if exec.Command(aigtoaig, path, filepath.Join(dir, "out.aig")).Run() == nil {
				t.Errorf("%s is refused here only", path)
			}
			continue
		}
		for i, c := range f.Comments { // the library takes a zero byte for the end
			f.Comments[i], _, _ = strings.Cut(c, "\x00")
		}
		check(path, f)
	}
}

// BenchmarkRead reads a netlist of a million ANDs in both codings.
func BenchmarkRead(b *testing.B) {
	g := aig.NewPlain()
	s := &ts.System{G: g, W: aig.True}
	rng := rand.New(rand.NewPCG(13, 14))
	var pool []aig.Lit
	for range 50_000 {
		in, l := g.Input(), g.Input()
		s.Inputs = append(s.Inputs, ts.Signal{Node: in.Node()})
		s.Latches = append(s.Latches, ts.Latch{Node: l.Node()})
		pool = append(pool, in, l)
	}
	for used := 0; g.Len() < 1_100_000; used++ { // each operand is used at least once
		x, y := pool[used], pool[len(pool)-1-rng.IntN(min(len(pool), 100_000))]
		pool = append(pool, g.And(x.NotIf(rng.IntN(2) == 1), y.NotIf(rng.IntN(2) == 1)))
	}
	for i := range s.Latches {
		s.Latches[i].Next = pool[len(pool)-1-i]
	}
	for _, binary := range []bool{true, false} {
		b.Run(map[bool]string{true: "binary", false: "ascii"}[binary], func(b *testing.B) {
			var text bytes.Buffer
			if err := aiger.Write(&text, &aiger.File{Sys: s}, binary); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(text.Len()))
			b.ReportAllocs()
			var f *aiger.File
			for b.Loop() {
				var err error
				if f, err = aiger.Read(bytes.NewReader(text.Bytes()), "x"); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(f.Sys.NumAnds()), "ands")
		})
	}
}
