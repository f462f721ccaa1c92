package transfer

import (
	"encoding/json"

	"orbitmc/internal/exchange"
)

// This file exchanges patterns with processes that prove other sizes, by files in a folder: a pattern a line, in
// JSON. Nothing in a file is trusted: what comes of a pattern is a candidate, as of those that were learnt here.

// Share makes l exchange patterns by files in a folder.
func (l *Lemmas) Share(dir string) { l.files = exchange.New(dir, "patterns") }

// Exchange writes the patterns that were learnt here, and adds those of others. It does nothing if l is not shared.
func (l *Lemmas) Exchange() error {
	if l.files == nil {
		return nil
	}
	var lines []string
	for _, x := range l.fresh {
		text, err := json.Marshal(x)
		if err != nil {
			return err
		}
		lines = append(lines, string(text))
	}
	if err := l.files.Write(lines); err != nil {
		return err
	}
	l.fresh = nil
	files, err := l.files.Look()
	if err != nil {
		return err
	}
	for _, lines := range files {
		for _, line := range lines {
			x := new(Pattern)
			if json.Unmarshal([]byte(line), x) == nil && x.closed() {
				l.add(x)
			}
		}
	}
	return nil
}

// closed reports whether terms are about variables that pa has.
func (pa *Pattern) closed() bool {
	if pa.Others < -1 || pa.Others >= len(pa.Types) {
		return false
	}
	for _, t := range pa.Terms {
		for _, v := range t.Vars {
			if v < 0 || v >= len(pa.Types) {
				return false
			}
		}
	}
	return true
}
