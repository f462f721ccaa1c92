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

// fields are what a mapping may have: by key, where the value is read into. See reader.read.
type fields map[string]any

// checked is a field with a condition: wrong says what is wrong with what was read, "" if nothing is.
type checked struct {
	into  any
	wrong func() string
}

// mapping reads the fields of a mapping.
func (r *reader) mapping(n *yaml.Node, what string, known fields) error {
	return r.each(n, what, func(key string, k, v *yaml.Node) error {
		if known[key] == nil {
			return r.errorf(k, "%s: unknown key %q", what, key)
		}
		return r.read(key, v, known[key])
	})
}

// each calls read for each key of a mapping, in order.
func (r *reader) each(n *yaml.Node, what string, read func(key string, k, v *yaml.Node) error) error {
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
		if err := read(k.Value, k, v); err != nil {
			return err
		}
	}
	return nil
}

// read reads the value of a key: a text, one text or a list of texts, a number from 1 on, a time in seconds, a size in
// bytes, limits, or what a function reads. A node is kept, to be read once the rest is known.
func (r *reader) read(key string, v *yaml.Node, into any) (err error) {
	switch into := into.(type) {
	case checked:
		if err := r.read(key, v, into.into); err != nil {
			return err
		}
		if text := into.wrong(); text != "" {
			return r.errorf(v, "%s", text)
		}
	case **yaml.Node:
		*into = v
	case func(key string, v *yaml.Node) error:
		return into(key, v)
	case *string:
		if *into = v.Value; v.Kind != yaml.ScalarNode || v.Value == "" || v.Tag == "!!null" {
			return r.errorf(v, "%s: want a text", key)
		}
	case *[]string:
		of := []*yaml.Node{v}
		if v.Kind != yaml.ScalarNode {
			if of = v.Content; v.Kind != yaml.SequenceNode || len(of) == 0 {
				return r.errorf(v, "%s: want a text or a list of texts", key)
			}
		}
		*into = make([]string, len(of))
		for i, c := range of {
			if err := r.read(key, c, &(*into)[i]); err != nil {
				return err
			}
		}
	case *int:
		if *into, err = strconv.Atoi(v.Value); v.Kind != yaml.ScalarNode || err != nil || *into < 1 {
			return r.errorf(v, "%s: want a number, 1 or more", key)
		}
	case *float64:
		d, err := time.ParseDuration(v.Value)
		if *into = d.Seconds(); err != nil || d <= 0 {
			return r.errorf(v, "%s %q: want a time such as 30s or 2m", key, v.Value)
		}
	case *int64:
		size, ok := ParseSize(v.Value)
		if *into = size; !ok || size < 1<<10 { // a unit is missing
			return r.errorf(v, "%s %q: want a size such as 512MiB or 2GiB", key, v.Value)
		}
	case *benchmarks.Limits:
		return r.mapping(v, key, fields{"cpu": &into.CPU, "wall": &into.Wall, "build": &into.Build, "memory": &into.Memory})
	default:
		panic(fmt.Sprintf("suite: no way to read a %T", into))
	}
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
	var models, compare, published *yaml.Node
	err = r.mapping(root, "suite", fields{
		"limits": &s.Limits, "repeats": &repeats, "cores": &s.Cores, "models": &models, "compare": &compare, "published": &published,
		"configs": func(_ string, v *yaml.Node) error { return s.readConfigs(r, v) },
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
		err := r.mapping(c, "configuration", fields{
			"name": checked{&x.name, func() string {
				switch {
				case s.unknown(x.name) == "":
					return fmt.Sprintf("configuration %q is there twice", x.name)
				case strings.Contains(x.name, "|"):
					return `a name has no "|"`
				}
				return ""
			}},
			"tool": checked{&x.tool, func() string {
				if _, ok := tools[x.tool]; !ok {
					return fmt.Sprintf("unknown tool %q; known are %s", x.tool, strings.Join(toolNames(), ", "))
				}
				return ""
			}},
			"args": func(key string, v *yaml.Node) error {
				if v.Kind == yaml.SequenceNode && len(v.Content) == 0 {
					return nil
				}
				return r.read(key, v, &x.args)
			},
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

// unknown says which of some configurations there is none of, "" if there are all.
func (s *Suite) unknown(names ...string) string {
	for _, name := range names {
		if !slices.ContainsFunc(s.configs, func(c config) bool { return c.name == name }) {
			return fmt.Sprintf("unknown configuration %q", name)
		}
	}
	return ""
}

func (s *Suite) readCompare(r *reader, n *yaml.Node) error {
	x := &benchmarks.Compare{Within: s.Limits.Wall}
	s.Compare = x
	err := r.mapping(n, "compare", fields{
		"config": checked{&x.Config, func() string { return s.unknown(x.Config) }},
		"peers":  checked{&x.Peers, func() string { return s.unknown(x.Peers...) }},
		"within": &x.Within,
	})
	if err == nil && (x.Config == "" || x.Peers == nil || slices.Contains(x.Peers, x.Config)) {
		err = r.errorf(n, "compare: want a config, and peers other than it")
	}
	return err
}

func (s *Suite) readEntry(r *reader, n *yaml.Node, e *entry) error {
	err := r.mapping(n, "model", fields{
		"path": checked{&e.paths, func() string {
			if slices.ContainsFunc(e.paths, func(p string) bool { return strings.Contains(p, "|") }) {
				return `a path has no "|"`
			}
			return ""
		}},
		"family": &e.family,
		"expect": checked{&e.expect, func() string {
			if !isVerdict(e.expect) {
				return "expect: want safe, unsafe or, of a graph, order N"
			}
			return ""
		}},
		"repeats": &e.repeats,
		"limits":  &e.limits,
		"params": func(key string, v *yaml.Node) error {
			return r.each(v, key, func(name string, _, v *yaml.Node) error {
				values, err := r.values(v)
				for _, value := range values {
					e.params = append(e.params, param{name, value})
				}
				return err
			})
		},
		"configs": checked{&e.configs, func() string { return s.unknown(e.configs...) }},
	})
	if err == nil && e.paths == nil {
		err = r.errorf(n, "model: no path")
	}
	return err
}

// values reads the values of a parameter: one, a list, or a range such as 2..8.
func (r *reader) values(n *yaml.Node) (all []string, err error) {
	if err := r.read("value", n, &all); err != nil || n.Kind != yaml.ScalarNode {
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
