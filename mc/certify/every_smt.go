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
)

// This file has proofs for every size checked by an SMT solver, where the theorem on few sizes
// does not apply: a condition has a ∃ inside a ∀. The conditions are made from the model anew,
// and all of them are asked, quantifiers and all. The solver is trusted then, and named.

// smtSolver is the solver, and its arguments. rlimit bounds the work for one condition: a count,
// as a time would depend on the machine.
var smtSolver = []string{"z3", "-in", "rlimit=400000000"}

// ErrNoSolver says that there is no SMT solver on this machine.
var ErrNoSolver = errors.New(smtSolver[0] + " is not installed")

// OpenError is a condition that an SMT solver does not refute.
type OpenError struct{ Condition, Answer, Solver string }

func (e *OpenError) Error() string {
	return fmt.Sprintf("%s does not refute %s: %s", e.Solver, e.Condition, e.Answer)
}

// HasSMT reports whether the SMT solver is installed.
func HasSMT() bool {
	_, err := exec.LookPath(smtSolver[0])
	return err == nil
}

// EverySMT checks a proof for every size with an SMT solver and says how. The error may be
// ErrNoSolver, an *OpenError, or that of ctx.
func EverySMT(ctx context.Context, e *evidence.Every) (string, error) {
	path, err := exec.LookPath(smtSolver[0])
	if err != nil {
		return "", ErrNoSolver
	}
	version, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return "", err
	}
	solver := strings.TrimSpace(string(version))
	c, err := param.New(ctx, e.Model, e.Least, nil)
	if err != nil {
		return "", err
	}
	var in bytes.Buffer
	if err := c.WriteSMT(&in); err != nil {
		return "", err
	}
	// What the answers are to be is not for the solver to know.
	cmd := exec.CommandContext(ctx, path, smtSolver[1:]...)
	cmd.Stdin = strings.NewReader(strings.ReplaceAll(in.String(), "(set-info :status unsat)\n", ""))
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if n := len(c.Conditions()); err == nil {
		err = refuted(out, n, solver)
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d conditions refuted by %s, for any number of components", len(c.Conditions()), solver), nil
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
