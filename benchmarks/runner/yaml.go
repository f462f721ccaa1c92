package runner

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"orbitmc/benchmarks"
)

// This file reads the text of a suite: strictly, and with positions, which is
// why it walks the nodes. The decoder into structs ignores the order of
// parameters, and its errors have no column.

// maxRange is the largest number of values of a range.
const maxRange = 10_000

// reader reads the nodes of one file.
type reader struct{ file string }

func (r *reader) errorf(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("%s: %s", r.pos(n), fmt.Sprintf(format, args...))
}

func (r *reader) pos(n *yaml.Node) string { return fmt.Sprintf("%s:%d:%d", r.file, n.Line, n.Column) }

// mapping calls field for each key of a mapping, in order; it returns false of
// a key it does not know.
func (r *reader) mapping(n *yaml.Node, what string, field func(key string, k, v *yaml.Node) (bool, error)) error {
	if n.Kind != yaml.MappingNode {
		return r.errorf(n, "%s: want a mapping", what)
	}
	seen := make(map[string]bool)
	for i := 0; i < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if v.Kind == yaml.AliasNode {
			v = v.Alias
		}
		if seen[k.Value] {
			return r.errorf(k, "%s: key %q is there twice", what, k.Value)
		}
		seen[k.Value] = true
		known, err := field(k.Value, k, v)
		if err == nil && !known {
			err = r.errorf(k, "%s: unknown key %q", what, k.Value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) text(n *yaml.Node, what string) (string, error) {
	if n.Kind != yaml.ScalarNode || n.Value == "" || n.Tag == "!!null" {
		return "", r.errorf(n, "%s: want a text", what)
	}
	return n.Value, nil
}

// texts reads one text or a list of texts.
func (r *reader) texts(n *yaml.Node, what string) ([]string, error) {
	if n.Kind == yaml.ScalarNode {
		t, err := r.text(n, what)
		return []string{t}, err
	}
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		return nil, r.errorf(n, "%s: want a text or a list of texts", what)
	}
	var all []string
	for _, c := range n.Content {
		t, err := r.text(c, what)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

func (r *reader) count(n *yaml.Node, what string, into *int) error {
	v, err := strconv.Atoi(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || v < 1 {
		return r.errorf(n, "%s: want a number, 1 or more", what)
	}
	*into = v
	return nil
}

// parse reads the text of a suite into s and returns the entries under models, and what reads the
// published tables once the runs are known.
func (s *Suite) parse(src []byte) (entries []*entry, tables func(*Suite) error, err error) {
	r := &reader{file: s.File}
	var doc, more yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(src))
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil, fmt.Errorf("%s: the suite is empty", s.File)
	} else if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", s.File, err)
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, nil, fmt.Errorf("%s: more than one document", s.File)
	}
	root := doc.Content[0]
	s.Limits = benchmarks.Limits{CPU: 60, Wall: 120, Memory: 2 << 30}
	s.Cores = 1
	repeats := 1
	var models, compare, published *yaml.Node // read below, when the rest is known
	err = r.mapping(root, "suite", func(key string, _, v *yaml.Node) (bool, error) {
		switch key {
		case "limits":
			return true, r.limits(v, &s.Limits)
		case "repeats":
			return true, r.count(v, key, &repeats)
		case "cores":
			return true, r.count(v, key, &s.Cores)
		case "configs":
			return true, s.readConfigs(r, v)
		case "models":
			models = v
			return true, nil
		case "compare":
			compare = v
			return true, nil
		case "published":
			published = v
			return true, nil
		}
		return false, nil
	})
	switch {
	case err != nil:
		return nil, nil, err
	case len(s.configs) == 0:
		return nil, nil, r.errorf(root, "suite: no configs")
	case models == nil || models.Kind != yaml.SequenceNode || len(models.Content) == 0:
		return nil, nil, r.errorf(root, "suite: no models; want a list")
	}
	if compare != nil {
		if err := s.readCompare(r, compare); err != nil {
			return nil, nil, err
		}
	}
	for _, n := range models.Content {
		e := &entry{pos: r.pos(n), repeats: repeats, limits: s.Limits}
		if err := s.readEntry(r, n, e); err != nil {
			return nil, nil, err
		}
		entries = append(entries, e)
	}
	return entries, func(s *Suite) error { return s.readTables(r, published) }, nil
}

func (s *Suite) readConfigs(r *reader, n *yaml.Node) error {
	if n.Kind != yaml.SequenceNode {
		return r.errorf(n, "configs: want a list")
	}
	for _, c := range n.Content {
		var x config
		err := r.mapping(c, "configuration", func(key string, k, v *yaml.Node) (known bool, err error) {
			switch key {
			case "name":
				if x.name, err = r.text(v, key); strings.Contains(x.name, "|") {
					err = r.errorf(v, "a name has no %q", "|")
				}
				if s.has(x.name) {
					err = r.errorf(v, "configuration %q is there twice", x.name)
				}
			case "tool":
				x.tool, err = r.text(v, key)
				if _, ok := tools[x.tool]; err == nil && !ok {
					err = r.errorf(v, "unknown tool %q; known are %s", x.tool, strings.Join(toolNames(), ", "))
				}
			case "args":
				if v.Kind != yaml.SequenceNode || len(v.Content) > 0 {
					x.args, err = r.texts(v, key)
				}
			default:
				return false, nil
			}
			return true, err
		})
		switch {
		case err != nil:
			return err
		case x.name == "" || x.tool == "":
			return r.errorf(c, "a configuration has a name and a tool")
		}
		s.configs = append(s.configs, x)
	}
	return nil
}

// has reports whether a configuration is known.
func (s *Suite) has(name string) bool {
	return slices.ContainsFunc(s.configs, func(c config) bool { return c.name == name })
}

func (s *Suite) readCompare(r *reader, n *yaml.Node) error {
	s.Compare = &benchmarks.Compare{Within: s.Limits.Wall}
	err := r.mapping(n, "compare", func(key string, _, v *yaml.Node) (known bool, err error) {
		switch key {
		case "config":
			s.Compare.Config, err = r.text(v, key)
		case "peers":
			s.Compare.Peers, err = r.texts(v, key)
		case "within":
			return true, r.seconds(v, key, &s.Compare.Within)
		default:
			return false, nil
		}
		for _, name := range append(slices.Clone(s.Compare.Peers), s.Compare.Config) {
			if err == nil && name != "" && !s.has(name) {
				err = r.errorf(v, "unknown configuration %q", name)
			}
		}
		return true, err
	})
	if err == nil && (s.Compare.Config == "" || s.Compare.Peers == nil || slices.Contains(s.Compare.Peers, s.Compare.Config)) {
		err = r.errorf(n, "compare: want a config, and peers other than it")
	}
	return err
}

func (s *Suite) readEntry(r *reader, n *yaml.Node, e *entry) error {
	err := r.mapping(n, "model", func(key string, k, v *yaml.Node) (known bool, err error) {
		switch key {
		case "path":
			if e.paths, err = r.texts(v, key); slices.ContainsFunc(e.paths, func(p string) bool { return strings.Contains(p, "|") }) {
				err = r.errorf(v, "a path has no %q", "|")
			}
		case "family":
			e.family, err = r.text(v, key)
		case "expect":
			if e.expect, err = r.text(v, key); err == nil && !isVerdict(e.expect) {
				err = r.errorf(v, "expect: want safe, unsafe or, of a graph, order N")
			}
		case "repeats":
			err = r.count(v, key, &e.repeats)
		case "limits":
			err = r.limits(v, &e.limits)
		case "params":
			err = r.mapping(v, key, func(name string, _, v *yaml.Node) (bool, error) {
				values, err := r.values(v)
				for _, value := range values {
					e.params = append(e.params, param{name, value})
				}
				return true, err
			})
		case "configs":
			e.configs, err = r.texts(v, key)
			for _, name := range e.configs {
				if err == nil && !s.has(name) {
					err = r.errorf(v, "unknown configuration %q", name)
				}
			}
		default:
			return false, nil
		}
		return true, err
	})
	if err == nil && e.paths == nil {
		err = r.errorf(n, "model: no path")
	}
	return err
}

// values reads the values of a parameter: one, a list, or a range such as 2..8.
func (r *reader) values(n *yaml.Node) ([]string, error) {
	all, err := r.texts(n, "value")
	if err != nil || n.Kind != yaml.ScalarNode {
		return all, err
	}
	lo, hi, ok := strings.Cut(n.Value, "..")
	if !ok {
		return all, nil
	}
	a, err1 := strconv.ParseInt(lo, 10, 32)
	b, err2 := strconv.ParseInt(hi, 10, 32)
	if err1 != nil || err2 != nil || b < a || b-a >= maxRange {
		return nil, r.errorf(n, "%q: want a range such as 2..8", n.Value)
	}
	all = nil
	for v := a; v <= b; v++ {
		all = append(all, strconv.FormatInt(v, 10))
	}
	return all, nil
}

func (r *reader) limits(n *yaml.Node, l *benchmarks.Limits) error {
	return r.mapping(n, "limits", func(key string, _, v *yaml.Node) (bool, error) {
		into := &l.CPU
		switch key {
		case "cpu":
		case "wall":
			into = &l.Wall
		case "build":
			into = &l.Build
		case "memory":
			size, ok := ParseSize(v.Value)
			if !ok || size < 1<<10 { // a unit is missing
				return true, r.errorf(v, "memory %q: want a size such as 512MiB or 2GiB", v.Value)
			}
			l.Memory = size
			return true, nil
		default:
			return false, nil
		}
		return true, r.seconds(v, key, into)
	})
}

func (r *reader) seconds(n *yaml.Node, what string, into *float64) error {
	d, err := time.ParseDuration(n.Value)
	if err != nil || d <= 0 {
		return r.errorf(n, "%s %q: want a time such as 30s or 2m", what, n.Value)
	}
	*into = d.Seconds()
	return nil
}

// ParseSize reads a size in bytes such as 512M, 2GiB or 1000000, which is greater than 0.
func ParseSize(s string) (n int64, ok bool) {
	digits := strings.TrimRight(s, "BbIiKkMmGgTt")
	unit := strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(s[len(digits):]), "B"), "I")
	shift, ok := map[string]int{"": 0, "K": 10, "M": 20, "G": 30, "T": 40}[unit]
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || !ok || n <= 0 || n > 1<<62>>shift {
		return 0, false
	}
	return n << shift, true
}
