package certify

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"orbitmc/internal/every/param"
	"orbitmc/mc/evidence"
	"orbitmc/model"
)

// This file has proofs for every size checked by an SMT solver, where the theorem on few sizes
// does not apply: a condition has a ∃ inside a ∀. The conditions are made from the model anew,
// and all of them are asked, quantifiers and all. The solver is trusted then, and named.

const smtSolver = "z3"

// ErrNoSolver says that there is no SMT solver on this machine.
var ErrNoSolver = errors.New(smtSolver + " is not installed")

// OpenError is a condition that an SMT solver does not refute.
type OpenError struct{ Condition, Answer, Solver string }

func (e *OpenError) Error() string {
	return fmt.Sprintf("%s does not refute %s: %s", e.Solver, e.Condition, e.Answer)
}

// HasSMT reports whether the SMT solver is installed.
func HasSMT() bool {
	_, err := exec.LookPath(smtSolver)
	return err == nil
}

// EverySMT checks a proof for every size with an SMT solver and says how. The error may be
// ErrNoSolver, an *OpenError, or that of ctx.
func EverySMT(ctx context.Context, e *evidence.Every) (string, error) {
	c, solver, out, err := ask(ctx, e, 400_000_000)
	if err == nil {
		err = refuted(out, len(c.Conditions()), solver)
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d conditions refuted by %s, for any number of components", len(c.Conditions()), solver), nil
}

// SiftSMT returns those invariants that a start state or step may break, as far as an SMT solver can tell with little
// work for each condition. It shows nothing: a search leaves them out.
func SiftSMT(ctx context.Context, e *evidence.Every) (lost map[*model.Property]bool, err error) {
	c, _, out, err := ask(ctx, e, 4_000_000)
	if err != nil {
		return nil, err
	}
	lost = make(map[*model.Property]bool)
	lines := strings.Split(string(out), "\n")
	for i, k := range c.Ordered() {
		if k.Conjunct >= 0 && (2*i+1 >= len(lines) || lines[2*i+1] != "unsat") {
			lost[c.Conjuncts[k.Conjunct].Prop] = true
		}
	}
	return lost, nil
}

// ask returns what an SMT solver says of the conditions of a proof. rlimit bounds the work for each: a count, as a time
// would depend on the machine.
func ask(ctx context.Context, e *evidence.Every, rlimit int) (c *param.Conditions, solver string, out []byte, err error) {
	path, err := exec.LookPath(smtSolver)
	if err != nil {
		return nil, "", nil, ErrNoSolver
	}
	version, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return nil, "", nil, err
	}
	if c, err = param.New(ctx, e.Model, e.Least, nil); err != nil {
		return nil, "", nil, err
	}
	var in bytes.Buffer
	if err := c.WriteSMT(&in); err != nil {
		return nil, "", nil, err
	}
	// What the answers are to be is not for the solver to know.
	cmd := exec.CommandContext(ctx, path, "-in", fmt.Sprint("rlimit=", rlimit))
	cmd.Stdin = strings.NewReader(strings.ReplaceAll(in.String(), "(set-info :status unsat)\n", ""))
	if out, err = cmd.Output(); ctx.Err() != nil {
		err = ctx.Err()
	}
	return c, strings.TrimSpace(string(version)), out, err
}

// refuted reads the output of a solver: a line with the name of each condition, and unsat
// behind it.
func refuted(out []byte, conditions int, solver string) error {
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, len(out)+1)
	n := 0
	for ; lines.Scan(); n++ {
		name := lines.Text()
		lines.Scan()
		if answer := lines.Text(); answer != "unsat" {
			return &OpenError{name, answer, solver}
		}
	}
	if n != conditions {
		return fmt.Errorf("%s answered about %d of %d conditions", solver, n, conditions)
	}
	return lines.Err()
}
