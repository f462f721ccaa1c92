package main

import (
	"fmt"
	"math/big"
	"path"
	"reflect"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"orbitmc/benchmarks"
	"orbitmc/gotest"
	"orbitmc/internal/networks"
	"orbitmc/internal/portfolio"
)

// This file describes what --json prints, as JSON schemas made of the types that are printed.

// outputs lists what is printed, by name, and the commands that do.
var outputs = []struct {
	name     string
	of       any
	commands string
}{
	{"result", jsonResult{}, "check bmc pdr explore induct reach"},
	{"sweep", jsonSweep{}, "sweep"},
	{"every", jsonEvery{}, "every"},
	{"detect", jsonDetect{}, "detect"},
	{"graph", jsonGraph{}, "detect"},
	{"rep", jsonRep{}, "rep"},
	{"quotient", jsonQuotient{}, "quotient"},
	{"table", jsonTables{}, "table"},
	{"networks", networks.Result{}, "networks"},
	{"litmus", jsonLitmus{}, "litmus"},
	{"pctl", portfolio.Likelihoods{}, "pctl"},
	{"go", gotest.Result{}, "go"},
	{"replay", jsonReplay{}, "replay"},
	{"certify", portfolio.Certification{}, "certify"},
	{"event", jsonEvent{}, ""},
	{"record", benchmarks.Record{}, ""},
	{"run", benchmarks.Run{}, ""},
}

func schemaCommand() *cli.Command {
	var names []string
	for _, o := range outputs {
		names = append(names, o.name)
	}
	return command(&cli.Command{
		Name: "schema", ArgsUsage: "NAME",
		Usage: "print the JSON schema of an output: " + strings.Join(names, ", "),
		Description: `
result is what check, bmc, pdr, explore, induct and reach print with --json, graph what
detect prints of a graph, event a line of --json-events, record the machine.json and the
runs.json of bench run, run a line of its journal. The others are called as the commands
that print them.`,
		Action: func(c *cli.Context) error {
			for _, o := range outputs {
				if o.name == c.Args().First() {
					return printJSON(c.App.Writer, schemaOf(o.name, o.of))
				}
			}
			return fmt.Errorf("there is no output %q; there are %s", c.Args().First(), strings.Join(names, ", "))
		},
	})
}

func schemaOf(name string, of any) map[string]any {
	b := schemaBuilder{defs: map[string]any{}, types: map[string]reflect.Type{}}
	s := b.typ(reflect.TypeOf(of))
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = "orbitmc " + name
	if len(b.defs) > 0 {
		s["$defs"] = b.defs
	}
	return s
}

// schemaBuilder collects the schemas of named types, by name.
type schemaBuilder struct {
	defs  map[string]any
	types map[string]reflect.Type
}

var bigInt = reflect.TypeFor[*big.Int]()

// typ returns the schema of a type.
func (b *schemaBuilder) typ(t reflect.Type) map[string]any {
	switch {
	case t == bigInt:
		return map[string]any{"type": "integer"}
	case t == reflect.TypeFor[time.Time]():
		return map[string]any{"type": "string", "format": "date-time"}
	case t.Kind() == reflect.Pointer:
		return b.typ(t.Elem())
	}
	switch t.Kind() {
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": b.inner(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": b.inner(t.Elem())}
	case reflect.Struct:
		properties, required := map[string]any{}, []string{}
		b.fields(t, properties, &required)
		return map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
	}
	if t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64 {
		return map[string]any{"type": "integer"}
	}
	panic("schema: " + t.String())
}

// inner is typ for what is inside of a type; named types go to defs.
func (b *schemaBuilder) inner(t reflect.Type) map[string]any {
	if t.Kind() == reflect.Pointer && t != bigInt {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t.Name() == "" {
		return b.typ(t)
	}
	name := strings.ToLower(strings.TrimPrefix(strings.TrimPrefix(t.Name(), "json"), "JSON"))
	if t.PkgPath() != reflect.TypeFor[schemaBuilder]().PkgPath() {
		name = path.Base(t.PkgPath()) + "." + name
	}
	switch old := b.types[name]; old {
	case nil:
		b.types[name] = t
		b.defs[name] = b.typ(t)
	case t:
	default:
		panic(fmt.Sprintf("schema: %v and %v have one name", old, t))
	}
	return map[string]any{"$ref": "#/$defs/" + name}
}

// fields adds the members of a struct. A tag enum lists the values of a text, a tag null says that
// there may be none.
func (b *schemaBuilder) fields(t reflect.Type, properties map[string]any, required *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		switch {
		case f.Anonymous:
			b.fields(f.Type, properties, required)
			continue
		case !f.IsExported():
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		s := b.inner(f.Type)
		if values := f.Tag.Get("enum"); values != "" {
			s["enum"] = strings.Fields(values)
		}
		if f.Tag.Get("null") != "" {
			s["type"] = []string{s["type"].(string), "null"}
		}
		properties[name] = s
		if !strings.Contains(options, "omitempty") {
			*required = append(*required, name)
		}
	}
}
