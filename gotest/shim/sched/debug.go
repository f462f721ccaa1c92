package sched

import (
	"fmt"
	"os"
)

func (s *run) debug() {
	if os.Getenv("ORBDEBUG") == "" {
		return
	}
	for _, st := range s.path {
		o := ""
		if st.obj != nil {
			o = st.obj.name()
		}
		fmt.Fprintf(os.Stderr, "%d/%d:%v %s; ", st.Agent, st.Partner, st.kind, o)
	}
	fmt.Fprintln(os.Stderr, "=>", s.reason, search.exploring)
}
