package explicit_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"orbitmc/internal/testkit/nightly"
	"orbitmc/mc"
	"orbitmc/model"
)

// syncPlain is what statements of semaphores, mutexes and conditions are in plain Promela, if s is a byte, m a bit and c an array
// of as many bits as there are processes.
func syncPlain(word, c, m string, procs int) string {
	switch word {
	case "P":
		return fmt.Sprintf("d_step { %s > 0; %s-- }", c, c)
	case "V":
		return c + "++"
	case "lock":
		return fmt.Sprintf("d_step { %s == 0; %s = 1 }", c, c)
	case "unlock":
		return fmt.Sprintf("d_step { assert(%s == 1); %s = 0 }", c, c)
	case "wait":
		return fmt.Sprintf("d_step { assert(%s == 1); %s = 0; %s[_pid] = 1 }; d_step { %s[_pid] == 0 && %s == 0; %s = 1 }", m, m, c, c, m, m)
	}
	var none, clear, ways []string
	for i := range procs {
		none = append(none, fmt.Sprintf("%s[%d] == 0", c, i))
		clear = append(clear, fmt.Sprintf("%s[%d] = 0", c, i))
		ways = append(ways, fmt.Sprintf(":: d_step { %s[%d] == 1; %s[%d] = 0 }", c, i, c, i))
	}
	if word == "broadcast" {
		return "d_step { " + strings.Join(clear, "; ") + " }"
	}
	return "if\n" + strings.Join(ways, "\n") + "\n:: " + strings.Join(none, " && ") + "\nfi"
}

// randomSync makes a program with semaphores, mutexes and conditions, and the same program without.
func randomSync(r *rand.Rand) (src, plain string) {
	pick := func(xs ...string) string { return xs[r.IntN(len(xs))] }
	procs := 2 + r.IntN(2)
	both := func(s string) [2]string { return [2]string{s, s} }
	held := "" // the mutex that is probably locked
	var stmts func(n, depth int) [2]string
	statement := func(depth int) [2]string {
		switch k := r.IntN(12); {
		case k < 4:
			if held == "" && r.IntN(8) > 0 {
				held = pick("m", "n.m")
				return [2]string{"lock(" + held + ")", syncPlain("lock", held, "", procs)}
			}
			m := held
			if m == "" { // it is not locked here
				m = "m"
			}
			if k < 2 {
				held = ""
				return [2]string{"unlock(" + m + ")", syncPlain("unlock", m, "", procs)}
			}
			c := pick("c", "d[1]")
			p := strings.NewReplacer("[1]", "1").Replace(c)
			return [2]string{"wait(" + c + ", " + m + ")", syncPlain("wait", p, m, procs)}
		case k < 7:
			c, word := pick("c", "d[1]"), pick("signal", "signal", "broadcast")
			p := strings.NewReplacer("[1]", "1").Replace(c)
			return [2]string{word + "(" + c + ")", syncPlain(word, p, "", procs)}
		case k < 9:
			word, s := pick("P", "V"), pick("s", "t[1]")
			return [2]string{word + "(" + s + ")", syncPlain(word, s, "", procs)}
		case k == 9:
			return both(pick("x = 0", "x = 1", "x = 1 - x", "assert(x == 0 || s < 2)"))
		case k == 10 && depth < 2:
			was := held
			a := stmts(1+r.IntN(2), depth+1)
			held = was
			b := stmts(1, depth+1)
			held = was
			c := pick("x == 0", "m == 1", "s > 0")
			f := "if\n:: %s -> %s\n:: else -> %s\nfi"
			return [2]string{fmt.Sprintf(f, c, a[0], b[0]), fmt.Sprintf(f, c, a[1], b[1])}
		case k == 11 && depth < 2:
			a := stmts(2, 2)
			return [2]string{"atomic { " + a[0] + " }", "atomic { " + a[1] + " }"}
		}
		return both(pick("x = 1", "assert(x == 0)", "skip"))
	}
	stmts = func(n, depth int) (out [2]string) {
		for i := range n {
			s := statement(depth)
			for k := range out {
				if i > 0 {
					out[k] += ";\n"
				}
				out[k] += s[k]
			}
		}
		return out
	}
	body := stmts(3+r.IntN(5), 0)
	declared := [2]string{"typedef Node { bit x; mutex m }\nNode n; mutex m; cond c, d[2]; sem s = 1, t[2];",
		fmt.Sprintf("typedef Node { bit x; bit m }\nNode n; bit m; bit c[%d], d1[%d]; byte s = 1, t[2];", procs, procs)}
	var out [2]string
	for k := range out {
		out[k] = declared[k] + "\nbit x;\n" + fmt.Sprintf("active [%d] proctype P() {\n", procs) + body[k] + "\n}\n"
	}
	return out[0], out[1]
}

// TestSyncRandom: programs with semaphores, mutexes and conditions have the states, verdicts and depths of
// programs without, in which these are written out; and with symmetry the same verdicts and depths.
func TestSyncRandom(t *testing.T) {
	n := 150
	if nightly.On() {
		n = 5_000
	}
	counted, violated := 0, map[model.PropertyKind]int{}
	for seed := range uint64(n) {
		src, plain := randomSync(rand.New(rand.NewPCG(seed, 25)))
		got, k := search(t, src, "off")
		sym, _ := search(t, src, "auto")
		want, l := search(t, plain, "off")
		least := func(r *mc.Result, prob *mc.Problem, kinds ...model.PropertyKind) int {
			depth := -1
			for _, pr := range r.Props {
				for _, kind := range kinds {
					if prob.Kind(pr.Prop) == kind && pr.Status == mc.Unsafe && (depth < 0 || pr.Depth < depth) {
						depth = pr.Depth
					}
				}
			}
			return depth
		}
		misused := false
		for i, pr := range got.Props {
			misused = misused || k.Problem.Kind(pr.Prop) == model.ErrorStmt && pr.Status == mc.Unsafe
			if q := sym.Props[i]; q.Status != pr.Status || pr.Status == mc.Unsafe && q.Depth != pr.Depth {
				t.Fatalf("seed %d: %s is %v at %d, and with symmetry %v at %d\n%s", seed, k.Problem.Name(pr.Prop), pr.Status, pr.Depth, q.Status, q.Depth, src)
			}
		}
		for _, kinds := range [][]model.PropertyKind{{model.Assertion, model.ErrorStmt}, {model.RuntimeError}, {model.Deadlock}} {
			a, b := least(got, k.Problem, kinds...), least(want, l.Problem, kinds...)
			if a >= 0 {
				violated[kinds[len(kinds)-1]]++
			}
			if a != b && (!misused || kinds[0] == model.Assertion) {
				t.Fatalf("seed %d: %v is violated at %d, and at %d where it is written out\n%s\n%s", seed, kinds, a, b, src, plain)
			}
		}
		if !misused {
			counted++
			if got.Stats.States != want.Stats.States || got.Stats.Transitions != want.Stats.Transitions {
				t.Fatalf("seed %d: %d states and %d steps, and %d and %d where it is written out\n%s\n%s", seed, got.Stats.States, got.Stats.Transitions, want.Stats.States, want.Stats.Transitions, src, plain)
			}
		}
	}
	t.Logf("%d programs, counts compared in %d, violated: %v", n, counted, violated)
	if counted < n/3 || violated[model.ErrorStmt] < n/20 || violated[model.Deadlock] < n/20 {
		t.Error("programs do not show enough")
	}
}
